#include "policy/cached_files.h"

#include <algorithm>

namespace ringfence {
namespace {

constexpr int kQuestionsBeforeListing = 6;
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
  Result<FileFacts> facts = files_.Look(path);
  if (!facts) Note(facts.error());
  if (looks_.size() < kMaxLooks) looks_.push_back({hash, path.text(), facts});
  return facts;
}

void CachedFiles::Note(const Error& error) const {
  const bool about_files =
      error.what == "EACCES" || error.what == "ENAMETOOLONG" || error.what == "ELOOP";
  if (!about_files && !failure_) failure_ = error;
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

FileKind CachedFiles::LookKind(const Path& path) const {
  const Result<FileFacts> facts = Look(path);
  return facts ? facts->kind : FileKind::kMissing;
}

FileKind CachedFiles::ChildKind(const Path& directory, std::string_view name) const {
  Folder& folder = FolderOf(directory);
  if (!folder.listed) {
    if (folder.questions++ < kQuestionsBeforeListing) return LookKind(directory.Child(name));
    Result<std::vector<DirectoryEntry>> entries = List(directory);
    if (!entries) return LookKind(directory.Child(name));
    folder.entries = std::move(*entries);
    std::ranges::sort(folder.entries, {}, &DirectoryEntry::name);
    folder.listed = true;
  }
  const auto entry = std::ranges::lower_bound(folder.entries, name, {}, &DirectoryEntry::name);
  if (entry == folder.entries.end() || entry->name != name) return FileKind::kMissing;
  return entry->kind == FileKind::kMissing ? LookKind(directory.Child(name)) : entry->kind;
}

}  // namespace ringfence
