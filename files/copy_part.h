// Copies bytes where the kernel copies nothing between two files.
#pragma once

#include <sys/types.h>

#include "base/result.h"

namespace ringfence {

// Copies from `at` up to `end`, or the end of the file.
Status CopyPart(int from, int to, off_t at, off_t end);

}  // namespace ringfence
