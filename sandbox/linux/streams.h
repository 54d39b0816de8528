// The standard streams that a command starts with. They were opened outside, so they carry mounts
// of the host's: by such a descriptor an owner could change a file whatever the sandbox's own
// mounts say.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// An open file with the mount by which it was opened (statx(2), STATX_MNT_ID).
struct OpenedFile {
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0;
  uint64_t mount = 0;
  bool is_pipe = false;

  bool operator==(const OpenedFile&) const = default;
};
Result<OpenedFile> LookAtOpened(int fd);

// The standard streams of this process that are not pipes: those were made for the sandbox
// (PipeRelay).
Result<std::vector<OpenedFile>> FindStreams();

// Refuses streams that lead further than to one file: a directory, and a descriptor that was opened
// with O_PATH.
Status CheckStreams();

}  // namespace ringfence
