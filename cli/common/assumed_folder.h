// The disk, on which one missing directory appears to exist and be empty. It approximates the state
// in which a call was decided in a project that was removed since.
#pragma once

#include <unistd.h>

#include <string>

#include "policy/files/file_view.h"

namespace ringfence {

// A project for what does not depend on one. No rule but "/" covers it.
inline constexpr const char* kNowhere = "/nonexistent/ringfence-project";

class AssumedFolder final : public FileView {
 public:
  // `folder` is an absolute path; an invalid or existing one changes nothing.
  AssumedFolder(const FileView& disk, const std::string& folder) : disk_(disk) {
    const std::optional<Path> path = Path::Parse(folder);
    if (!path) return;
    folder_ = *path;
    const Result<FileFacts> facts = disk_.Look(folder_);
    is_assumed_ = facts && facts->kind == FileKind::kMissing;
  }

  bool is_assumed() const { return is_assumed_; }

  Result<FileFacts> Look(const Path& path) const override {
    Result<FileFacts> facts = disk_.Look(path);
    const bool may_assume = is_assumed_ && facts && facts->kind == FileKind::kMissing;
    if (!may_assume || !folder_.IsInside(path)) return facts;
    return FileFacts{.kind = FileKind::kDirectory, .links = 2, .owner = ::geteuid(), .mode = 0755};
  }
  Result<std::string> ReadLink(const Path& path) const override { return disk_.ReadLink(path); }
  Result<std::string> ReadText(const Path& file, size_t most) const override {
    return disk_.ReadText(file, most);
  }
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override {
    return disk_.List(directory, most);
  }

 private:
  const FileView& disk_;
  Path folder_;
  bool is_assumed_ = false;
};

}  // namespace ringfence
