// Names by which git finds what it runs: the parts of a repository without a work tree, and the
// file
// ".git" that leads from a work tree to its repository. Repositories that this run has made itself.
#pragma once

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// Why git forbids that the name is made or changed, or nullptr.
const GuardedName* RefusedByGit(const Supervision& supervision, const Location& location);

// After a folder was made, and after anything else was: git's own is remembered.
void NoteRepository(Supervision& supervision, const Location& location);
void NoteGitFile(Supervision& supervision, const Location& location);

// The folder is git's own, and this run has made it.
bool IsOwnRepository(const Supervision& supervision, const UniqueFd& folder);

}  // namespace ringfence
