#include "cli/replay/assumed_folder.h"

#include <unistd.h>

namespace ringfence {

AssumedFolder::AssumedFolder(const FileView& disk, const std::string& folder) : disk_(disk) {
  const std::optional<Path> path = Path::Parse(folder);
  if (!path) return;
  folder_ = *path;
  const Result<FileFacts> facts = disk_.Look(folder_);
  is_assumed_ = facts && facts->kind == FileKind::kMissing;
}

Result<FileFacts> AssumedFolder::Look(const Path& path) const {
  Result<FileFacts> facts = disk_.Look(path);
  const bool may_assume = is_assumed_ && facts && facts->kind == FileKind::kMissing;
  if (!may_assume || !folder_.IsInside(path)) return facts;
  return FileFacts{.kind = FileKind::kDirectory, .links = 2, .owner = ::geteuid(), .mode = 0755};
}

Result<std::string> AssumedFolder::ReadText(const Path& file, size_t most) const {
  return disk_.ReadText(file, most);
}

Result<std::string> AssumedFolder::ReadLink(const Path& path) const { return disk_.ReadLink(path); }

Result<std::vector<DirectoryEntry>> AssumedFolder::List(const Path& directory, size_t most) const {
  return disk_.List(directory, most);
}

}  // namespace ringfence
