// A flag of open(2) for directories that are only used to reach names in them.
#pragma once

#include <fcntl.h>

namespace ringfence {

#ifdef O_PATH
inline constexpr int kOpenPath = O_PATH;  // needs no read permission
#else
inline constexpr int kOpenPath = O_RDONLY;
#endif

}  // namespace ringfence
