// Repositories that this run has created.
#pragma once

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

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
