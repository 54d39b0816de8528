#include "policy/cached_files.h"

#include <algorithm>

namespace ringfence {
namespace {

constexpr int kQuestionsBeforeListing = 6;  // a listing costs as much as that many
constexpr size_t kUsuallySeen = 48;
constexpr size_t kMaxSeen = 256;  // more would take longer to search than to ask again

uint64_t Hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

const CachedFiles::Seen* CachedFiles::Known(const Path& path, uint64_t hash) const {
  for (const Seen& seen : seen_) {
    if (seen.hash == hash && seen.path == path.text()) return &seen;
  }
  return nullptr;
}

Result<FileFacts> CachedFiles::FactsOf(const Seen& seen) const {
  if (seen.error != 0) return errors_[seen.error - 1];
  return seen.facts;
}

Result<FileFacts> CachedFiles::Look(const Path& path) const {
  const uint64_t hash = Hash(path.text());
  if (const Seen* known = Known(path, hash)) return FactsOf(*known);
  if (IsListedMissing(path)) return FileFacts{};
  Result<FileFacts> facts = files_.Look(path);
  if (!facts) Note(facts.error());
  if (seen_.size() >= kMaxSeen) return facts;
  if (seen_.empty()) seen_.reserve(kUsuallySeen);
  Seen& seen = seen_.emplace_back(Seen{.hash = hash, .path = path.text(), .facts = {}});
  if (facts) {
    seen.facts = *facts;
  } else {
    errors_.push_back(facts.error());
    seen.error = errors_.size();
  }
  return facts;
}

void CachedFiles::Note(const Error& error) const {
  const bool about_files =
      error.what == "EACCES" || error.what == "ENAMETOOLONG" || error.what == "ELOOP";
  if (!about_files) Fail(error);
}

Result<std::string> CachedFiles::ReadLink(const Path& path) const {
  Result<std::string> target = files_.ReadLink(path);
  if (!target) Note(target.error());
  return target;
}

Result<std::vector<DirectoryEntry>> CachedFiles::List(const Path& directory) const {
  Result<std::vector<DirectoryEntry>> entries = files_.List(directory);
  if (entries) return entries;
  const std::string& what = entries.error().what;
  if (what == "ENOENT" || what == "ENOTDIR") return std::vector<DirectoryEntry>();
  Note(entries.error());
  return entries;
}

CachedFiles::Folder& CachedFiles::FolderOf(const Path& directory) const {
  if (last_folder_ < folders_.size() && folders_[last_folder_].path == directory) {
    return folders_[last_folder_];
  }
  const auto found = std::ranges::find(folders_, directory, &Folder::path);
  last_folder_ = static_cast<size_t>(found - folders_.begin());
  if (found == folders_.end()) folders_.push_back({.path = directory, .entries = {}});
  return folders_[last_folder_];
}

const DirectoryEntry* CachedFiles::FindEntry(const Folder& folder, std::string_view name) {
  // Most names differ in their first byte.
  const auto less = [](std::string_view one, std::string_view other) {
    if (one.empty() || other.empty() || one[0] == other[0]) return one < other;
    return static_cast<unsigned char>(one[0]) < static_cast<unsigned char>(other[0]);
  };
  const auto entry = std::ranges::lower_bound(folder.entries, name, less, &DirectoryEntry::name);
  return entry == folder.entries.end() || entry->name != name ? nullptr : &*entry;
}

bool CachedFiles::IsListedMissing(const Path& path) const {
  if (folders_.empty()) return false;
  const Path parent = path.Parent();
  const auto folder = std::ranges::find(folders_, parent, &Folder::path);
  return folder != folders_.end() && folder->listed && FindEntry(*folder, path.name()) == nullptr;
}

Result<FileKind> CachedFiles::LookKind(const Path& path) const {
  const Result<FileFacts> facts = Look(path);
  if (!facts) return facts.error();
  return facts->kind;
}

Result<FileKind> CachedFiles::ChildKind(const Path& directory, std::string_view name) const {
  Folder& folder = FolderOf(directory);
  if (folder.last_kind && folder.last_name == name) return *folder.last_kind;
  if (!folder.listed) {
    const Path child = directory.Child(name);
    const bool known = Known(child, Hash(child.text())) != nullptr;
    if (known || folder.questions++ < kQuestionsBeforeListing) {
      Result<FileKind> kind = LookKind(child);
      if (kind) {
        folder.last_name = name;
        folder.last_kind = *kind;
      }
      return kind;
    }
    Result<std::vector<DirectoryEntry>> entries = List(directory);
    if (!entries) return LookKind(directory.Child(name));
    folder.entries = std::move(*entries);
    std::ranges::sort(folder.entries, {}, &DirectoryEntry::name);
    folder.listed = true;
  }
  const DirectoryEntry* entry = FindEntry(folder, name);
  if (entry == nullptr) return FileKind::kMissing;
  if (entry->kind == FileKind::kMissing) return LookKind(directory.Child(name));
  return entry->kind;
}

void CachedFiles::ExpectMany(const Path& directory) const {
  FolderOf(directory).questions = kQuestionsBeforeListing;
}

Result<bool> CachedFiles::HasLinkBelow(const Path& base, std::string_view below) const {
  const Path* folder = &base;
  Path deeper;
  for (;;) {
    const std::string_view name = TakeComponent(below);
    if (name.empty()) return false;
    const Result<FileKind> kind = ChildKind(*folder, name);
    if (!kind) return kind.error();
    if (*kind == FileKind::kLink) return true;
    if (*kind != FileKind::kDirectory) return false;
    deeper = folder->Child(name);
    folder = &deeper;
  }
}

void CachedFiles::Fail(const Error& error) const {
  if (!failure_) failure_ = error;
}

}  // namespace ringfence
