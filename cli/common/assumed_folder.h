// The disk, on which one missing directory appears to exist and be empty. It approximates the state
// in which a call was decided in a project that was removed since.
#pragma once

#include <unistd.h>

#include <string>

#include "policy/files/forwarding_view.h"

namespace ringfence {

// A project for what does not depend on one. No rule but "/" covers it.
inline constexpr const char* kNowhere = "/nonexistent/ringfence-project";

class AssumedFolder final : public ForwardingView {
 public:
  // `folder` is an absolute path; an invalid or existing one changes nothing.
  AssumedFolder(const FileView& disk, const std::string& folder) : ForwardingView(disk) {
    const std::optional<Path> path = Path::Parse(folder);
    if (!path) return;
    folder_ = *path;
    const Result<FileFacts> facts = disk.Look(folder_);
    is_assumed_ = facts && facts->kind == FileKind::kMissing;
  }

  bool is_assumed() const { return is_assumed_; }

  Result<FileFacts> Look(const Path& path) const override {
    Result<FileFacts> facts = ForwardingView::Look(path);
    const bool may_assume = is_assumed_ && facts && facts->kind == FileKind::kMissing;
    if (!may_assume || !folder_.IsInside(path)) return facts;
    return FileFacts{.kind = FileKind::kDirectory, .links = 2, .owner = ::geteuid(), .mode = 0755};
  }

 private:
  Path folder_;
  bool is_assumed_ = false;
};

}  // namespace ringfence
