// The disk, on which one missing directory appears to exist and be empty. It approximates the state
// in which a call was decided in a project that was removed since.
#pragma once

#include <string>

#include "policy/files/file_view.h"

namespace ringfence {

class AssumedFolder final : public FileView {
 public:
  // `folder` is an absolute path; an invalid or existing one changes nothing.
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
