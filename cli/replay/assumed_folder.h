// The disk, with one folder there and empty although it is gone: what a call in a project that was
// removed since would have been decided from, as far as it can be told.
#pragma once

#include <string>

#include "policy/files/file_view.h"

namespace ringfence {

class AssumedFolder final : public FileView {
 public:
  // `folder` is an absolute path; one that is none, and one that is there, changes nothing.
  AssumedFolder(const FileView& disk, const std::string& folder);

  bool is_assumed() const { return is_assumed_; }

  Result<FileFacts> Look(const Path& path) const override;
  Result<std::string> ReadLink(const Path& path) const override;
  Result<std::string> ReadText(const Path& file, size_t most) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override;

 private:
  const FileView& disk_;
  Path folder_;
  bool is_assumed_ = false;
};

}  // namespace ringfence
