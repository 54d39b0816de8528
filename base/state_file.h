// ringfence's own state files: opened with O_NOFOLLOW, and locked against other hooks.
#pragma once

#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// Opens a file for reading and appending, or for writing anywhere. Creates it with mode 0600 and
// its missing directories with mode 0700.
enum class StateWrites { kAppended, kAnywhere };
Result<UniqueFd> OpenStateFile(const Path& file, StateWrites writes);

// Creates `folder` and its missing ancestors with mode 0700: at most `levels` directories in all,
// because a missing home directory means that its disk is not mounted.
Status MakeFolders(const Path& folder, int levels);

// Tries flock(2) up to `tries` times, a millisecond apart. Returns false if another process holds
// the lock.
Result<bool> LockFile(int fd, int tries);

// Sleeps for that millisecond.
void WaitForOthers();

}  // namespace ringfence
