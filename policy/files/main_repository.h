// Finds the repository that a directory belongs to, as git and the agents do.
#pragma once

#include "base/path.h"
#include "policy/files/file_view.h"

namespace ringfence {

inline constexpr size_t kMaxGitFile = 4096;  // limit in bytes of a ".git" or "commondir" file

// Returns the main repository of a worktree, and the directory itself if it is in no repository
// (gitrepository-layout(5)). Agents use this path to find their memory, and put worktrees there.
Path MainRepositoryOf(const Path& folder, const FileView& files);

}  // namespace ringfence
