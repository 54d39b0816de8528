// Copies the bytes of a file. What systems do differently is in files/system_calls.h.
#pragma once

#include <sys/types.h>

#include "base/result.h"

namespace ringfence {

// Copies `size` bytes into a new file, or shares them if the file system can do that. Leaves out
// holes.
Status CopyContents(int from, int to, off_t size);

// Copies from `at` up to `end` through this process, where the kernel copies nothing between two
// files. Returns false if the file has become shorter.
Result<bool> CopyByHand(int from, int to, off_t at, off_t end);

}  // namespace ringfence
