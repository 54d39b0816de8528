// Moves what a transaction has replaced out of the tree, into a directory that only the user may
// enter. If that is in another file system, it is copied, and the copy is complete and on the disk
// before anything is removed.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// The name of a file, link or directory in an open directory. Not owned.
struct NameIn {
  const UniqueFd& folder;
  const std::string& name;
};

// True if no name can be renamed from one of these directories to the other one. False if that is
// not known: then MoveOut() finds out.
bool IsElsewhere(const UniqueFd& one, const UniqueFd& other);

// Copies, and does not wait for the disk. Fails if `to` exists. On an error, a part of the copy may
// exist.
Status CopyOut(const NameIn& from, const NameIn& to);

// Renames, or copies and removes. Where a complete copy exists as `to`, `from` is only removed. A
// name that does not exist was moved before: this can be repeated after a crash. Returns true if
// `to` is in another file system.
Result<bool> MoveOut(const NameIn& from, const NameIn& to);

}  // namespace ringfence
