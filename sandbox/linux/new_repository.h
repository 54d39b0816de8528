// Repositories that this run has made itself: which they are, and how git's files in them that can
// lead to programs come about, so that their content is known however it is changed afterwards.
#pragma once

#include <string_view>

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// A config is put together under this name, which callers may not use.
inline constexpr std::string_view kUnsavedConfig = "config.ringfence-new";

// The name is ".git", and no folder has it.
bool IsGitFile(const Location& location);

// After a folder was made, and after anything else was: git's own is remembered.
void NoteRepository(Supervision& supervision, const Location& location);
void NoteGitFile(Supervision& supervision, const Location& location);

// The folder lies in the work tree of a repository that this run has made, and it and all folders
// up to there have come to be since the run began.
bool IsInOwnWorkTree(const Supervision& supervision, const UniqueFd& folder);

// The same for a work tree whose ".git" may be gone: what is left of it may be removed.
bool IsInRemains(const Supervision& supervision, const UniqueFd& folder);

// The folder is git's own, and this run has made it.
bool IsOwnRepository(const Supervision& supervision, const UniqueFd& folder);
// The same for a file ".git".
bool IsOwnGitFile(const Supervision& supervision, const Location& location);

// A file of git's in which nobody writes, even in a repository of this run: it comes whole, by
// SaveConfig() or MakeCommonDir(), or goes.
bool ComesWhole(std::string_view name);

// Moves a file to a name that ComesWhole(), as rename(2) does, but for a new file in its place
// which nobody has open, and only where git runs no program by it. 0 or an errno value; a refusal
// is reported.
int SaveConfig(Supervision& supervision, const Location& from, const Location& to, bool replaces);

// ".git/worktrees/NAME/commondir", which leads from a work tree to its repository.
bool IsCommonDir(const Location& location);

// The file that git makes there, whatever a caller would write. 0 or an errno value.
int MakeCommonDir(const Location& location);

}  // namespace ringfence
