#include "policy/cached_files.h"

#include <algorithm>

namespace ringfence {
namespace {

constexpr int kQuestionsBeforeListing = 2;
constexpr size_t kMaxLooks = 256;  // more would take longer to search than to ask again

uint64_t Hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

}  // namespace

Result<FileFacts> CachedFiles::Look(const Path& path) const {
  const uint64_t hash = Hash(path.text());
  for (const Look1& look : looks_) {
    if (look.hash == hash && look.path == path.text()) return look.facts;
  }
  if (IsListedMissing(path)) return FileFacts{};
  Result<FileFacts> facts = files_.Look(path);
  if (!facts) Note(facts.error());
  if (looks_.size() < kMaxLooks) looks_.push_back({hash, path.text(), facts});
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
  if (!entries) Note(entries.error());
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
  const auto entry = std::ranges::lower_bound(folder.entries, name, {}, &DirectoryEntry::name);
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
  if (!folder.listed) {
    if (folder.questions++ < kQuestionsBeforeListing) return LookKind(directory.Child(name));
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

void CachedFiles::Fail(const Error& error) const {
  if (!failure_) failure_ = error;
}

}  // namespace ringfence
