// Whether two names or descriptors are of one file: its device and inode number are the same.
#pragma once

#include <sys/stat.h>

#include "base/unique_fd.h"

namespace ringfence {

inline bool IsSameFile(const struct stat& one, const struct stat& other) {
  return one.st_ino == other.st_ino && one.st_dev == other.st_dev;
}

// False where one of them cannot be looked at.
inline bool IsSameFile(const UniqueFd& one, const UniqueFd& other) {
  struct stat first {};
  struct stat second {};
  return ::fstat(one.get(), &first) == 0 && ::fstat(other.get(), &second) == 0 &&
         IsSameFile(first, second);
}

}  // namespace ringfence
