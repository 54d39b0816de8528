// Files of ringfence's own state: opened through no link, and locked against other hooks.
#pragma once

#include <sys/stat.h>

#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// To read and to append, or to write anywhere in it; made with mode 0600, its folders with 0700,
// where they are missing.
enum class StateWrites { kAppended, kAnywhere };
Result<UniqueFd> OpenStateFile(const Path& file, StateWrites writes);

// Makes `folder` with mode 0700, where it is missing, and the last of the folders above it that
// are: at most `levels` in all, since a home that is not there is a disk that is not mounted.
Status MakeFolders(const Path& folder, int levels);

// flock(2), tried so often, a millisecond apart. False: others hold the lock.
Result<bool> LockFile(int fd, int tries);

// That millisecond.
void WaitForOthers();

}  // namespace ringfence
