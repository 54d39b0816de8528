// Work trees of repositories that this run has created. Files that editors, shells and hosts run
// may be written there, since no user works in these trees yet; elsewhere the same names are
// refused.
#pragma once

#include <cstddef>
#include <string>

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// True if the directory `levels` above that of `location`, or one of its ancestors, is the root of
// such a work tree: it contains a ".git" of this run, and it and all directories down to `location`
// are newer than the run. A ".git" file counts if it leads to a repository of this run; from then
// on its content is fixed.
bool IsInOwnWorkTree(Supervision& supervision, const Location& location, size_t levels);

// Called before a directory is created. Waits, at most once per run and for a few milliseconds,
// until the kernel gives new files a time after the start of the run. New files get the time of the
// last tick (clock_getres(2)) or, since Linux 6.13, a finer one that an earlier file got
// (multigrain timestamps).
void AwaitTick(Supervision& supervision);

// Remembers a path that was written only because of IsInOwnWorkTree(): while it exists, the ".git"
// above it stays. `path` is the real path of the first directory or file that a rule matches.
// Returns false if there are too many.
bool NoteExempted(Supervision& supervision, std::string path);
// Adds the new paths after a rename.
void MoveExempted(Supervision& supervision, const std::string& from, const std::string& to);

// True if `location` is a ".git" of this run and a remembered path below its directory still
// exists.
bool HoldsExempted(const Supervision& supervision, const Location& location);

// Called instead of removing a ".git" for which HoldsExempted() is true. Returns 0, as if it had
// been removed, or the errno value of the call. The ".git" is removed together with its directory,
// so that "rm -r" works in any order.
int KeepGit(Supervision& supervision, const Location& location);
// Called before the directory at `location` is removed: removes a kept ".git" if nothing else is
// left.
void RemoveKeptGit(const Supervision& supervision, const Location& location);

// Repositories that this run has created.

// True if the name is ".git" and belongs to a file, not to a directory.
bool IsGitFile(const Location& location);

// Remember a new directory (NoteRepository) or any other new file (NoteGitFile) that belongs to
// git.
void NoteRepository(Supervision& supervision, const Location& location);
void NoteGitFile(Supervision& supervision, const Location& location);

// True if the directory belongs to git and this run has created it.
bool IsOwnRepository(const Supervision& supervision, const UniqueFd& folder);
// The same for a ".git" file.
bool IsOwnGitFile(const Supervision& supervision, const Location& location);

}  // namespace ringfence
