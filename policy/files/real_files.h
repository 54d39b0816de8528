// FileView on the real disk. Opens directories to list them and, with O_NONBLOCK, files to read
// them, so a FIFO or a device cannot make it hang.
#pragma once

#include "policy/files/file_view.h"

namespace ringfence {

class RealFiles final : public FileView {
 public:
  Result<FileFacts> Look(const Path& path) const override;
  Result<std::string> ReadLink(const Path& path) const override;
  uint64_t MountOf(const Path& path) const override;
  Result<std::string> ReadText(const Path& file, size_t most) const override;
  Result<std::string> ReadStart(const Path& file, size_t most) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override;
};

}  // namespace ringfence
