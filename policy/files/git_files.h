// Detects git repositories (gitrepository-layout(5)), the one that a directory belongs to, and
// directories in which hard links are normal.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/case_fold.h"
#include "policy/files/cached_files.h"
#include "policy/files/resolve.h"

namespace ringfence {

// git treats any directory that contains these three as a repository.
struct RepositoryPart {
  char name[8];
  char folded[8];
};
inline constexpr RepositoryPart kRepositoryParts[] = {
    {"HEAD", "head"}, {"objects", "objects"}, {"refs", "refs"}};

// True if a directory has all three once `made` exists. `is_there` takes a const char* and tells
// whether another part exists.
template <typename IsThere>
bool HasRepositoryParts(std::string_view made, IsThere is_there) {
  return std::ranges::all_of(kRepositoryParts, [&](const RepositoryPart& part) {
    return FoldsTo(made, part.folded) || is_there(part.name);
  });
}

// Both ignore letter case. IsRepositoryPart() is true for the three parts, ChoosesProgramsOfGit()
// for files of a repository that choose programs for git to run.
bool IsRepositoryPart(std::string_view name);
bool ChoosesProgramsOfGit(std::string_view name);

// True if a write there creates a git repository or changes one without a work tree, whose
// configuration and hooks run code for every user of git in it.
bool MakesRepository(const Walked& walked, const CachedFiles& files);

// True if a component of `path` is one of `stores`, such as "node_modules".
bool IsInPackageStore(const Path& path, const std::vector<std::string_view>& stores);

inline constexpr size_t kMaxGitFile = 4096;  // limit in bytes of a ".git" or "commondir" file

// Returns the main repository of a worktree, and the directory itself if it is in no repository
// (gitrepository-layout(5)). Agents use this path to find their memory, and put worktrees there.
Path MainRepositoryOf(const Path& folder, const FileView& files);

}  // namespace ringfence
