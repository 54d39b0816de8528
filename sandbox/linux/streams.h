// The standard streams that a command starts with. They were opened outside, through the host's
// mounts: with such a descriptor, the owner of a file could change it whatever the sandbox's own
// mounts say.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// An open file and the mount through which it was opened (statx(2), STATX_MNT_ID).
struct OpenedFile {
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0;
  uint64_t mount = 0;
  bool is_pipe = false;

  bool operator==(const OpenedFile&) const = default;
};
Result<OpenedFile> LookAtOpened(int fd);

// Returns the standard streams of this process except pipes, which were made for the sandbox
// (PipeRelay).
Result<std::vector<OpenedFile>> FindStreams();

// Refuses streams that give access to more than one file: directories, and descriptors that were
// opened with O_PATH.
Status CheckStreams();

}  // namespace ringfence
