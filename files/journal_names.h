// The names of a transaction's journal (tree_transaction.h), for programs that only look whether
// one exists.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace ringfence {

inline constexpr const char* kTreeJournal = "journal";  // of a transaction that is not committed
inline constexpr const char* kCommittedJournal = "committed";  // the same file, once it is
// The same file in the directory that Commit() makes. Its mtime is the time of the commit.
inline constexpr const char* kUndoSteps = "steps";

// True if a transaction with this directory for its state is running, or was interrupted.
inline bool HasTreeJournal(const UniqueFd& state) {
  return ::faccessat(state.get(), kTreeJournal, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
         ::faccessat(state.get(), kCommittedJournal, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace ringfence
