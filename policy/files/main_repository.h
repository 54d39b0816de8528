// The repository that a folder belongs to, as git and the agents find it.
#pragma once

#include "base/path.h"
#include "policy/files/file_view.h"

namespace ringfence {

inline constexpr size_t kMaxGitFile = 4096;  // bytes of a file ".git" or "commondir"

// Of a worktree the main one, of a folder in no repository the folder itself
// (gitrepository-layout(5)). Agents keep their memory by it and put worktrees there.
Path MainRepositoryOf(const Path& folder, const FileView& files);

}  // namespace ringfence
