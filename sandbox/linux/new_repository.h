// Which repositories this run has made itself.
#pragma once

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// The name is ".git", and no folder has it.
bool IsGitFile(const Location& location);

// After a folder was made, and after anything else was: git's own is remembered.
void NoteRepository(Supervision& supervision, const Location& location);
void NoteGitFile(Supervision& supervision, const Location& location);

// The folder is git's own, and this run has made it.
bool IsOwnRepository(const Supervision& supervision, const UniqueFd& folder);
// The same for a file ".git".
bool IsOwnGitFile(const Supervision& supervision, const Location& location);

}  // namespace ringfence
