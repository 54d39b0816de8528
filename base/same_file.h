// Tests if two names or descriptors refer to the same file, by device and inode number.
#pragma once

#include <sys/stat.h>

#include "base/unique_fd.h"

namespace ringfence {

inline bool IsSameFile(const struct stat& one, const struct stat& other) {
  return one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

// False if fstat(2) fails for one of them.
inline bool IsSameFile(const UniqueFd& one, const UniqueFd& other) {
  struct stat first {};
  struct stat second {};
  return ::fstat(one.get(), &first) == 0 && ::fstat(other.get(), &second) == 0 &&
         IsSameFile(first, second);
}

}  // namespace ringfence
