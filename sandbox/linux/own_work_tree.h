// Work trees of repositories that this run has made itself. Files that editors, shells and hosts
// run may be written in them, since nobody works in them yet; elsewhere the same names are refused.
#pragma once

#include <cstddef>
#include <string>

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// A directory `levels` above the one of `location`, or one above that, is such a work tree: it
// holds a ".git" of this run, and it and all directories below it are newer than the run. A file
// ".git" counts if it leads to a repository of this run; from then on its content stays as it is.
bool IsInOwnWorkTree(Supervision& supervision, const Location& location, size_t levels);

// Before a directory is made: waits, at most once in a run and for some milliseconds, until the
// kernel gives new files a time after the run's beginning. It gives them the time of its last tick
// (clock_getres(2)), or since 6.13 a finer one that a file before them got (multigrain timestamps).
void AwaitTick(Supervision& supervision);

// Remembers what is written only because of IsInOwnWorkTree(): while it exists, the ".git" above it
// stays. `path` is the real path of the first directory or file that a rule matches. False: there
// are too many.
bool NoteExempted(Supervision& supervision, std::string path);
// After a rename.
void MoveExempted(Supervision& supervision, const std::string& from, const std::string& to);

// `location` is a ".git" of this run, and something was noted below its directory that still
// exists.
bool HoldsExempted(const Supervision& supervision, const Location& location);

// Instead of removing a ".git" that HoldsExempted(): 0, as if it was removed, or the errno value of
// the call. It goes with its directory, so that "rm -r" works in any order.
int KeepGit(Supervision& supervision, const Location& location);
// Before the directory at `location` is removed: removes a ".git" that was kept, if nothing else is
// left.
void RemoveKeptGit(const Supervision& supervision, const Location& location);

}  // namespace ringfence
