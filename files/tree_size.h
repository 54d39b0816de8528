// The disk space that a tree takes.
#pragma once

#include <cstdint>

#include "base/unique_fd.h"

namespace ringfence {

// Bytes that the file system has allocated for everything in the directory; a file with several
// hard links counts for each. Follows no links. What cannot be read does not count.
uint64_t TreeSize(const UniqueFd& folder);

}  // namespace ringfence
