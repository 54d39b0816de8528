// What makes a directory a git repository (gitrepository-layout(5)), and folders in which hard
// links are ordinary.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/case_fold.h"
#include "policy/files/cached_files.h"
#include "policy/files/resolve.h"

namespace ringfence {

// git takes any folder with these three for a repository.
struct RepositoryPart {
  char name[8];
  char folded[8];
};
inline constexpr RepositoryPart kRepositoryParts[] = {
    {"HEAD", "head"}, {"objects", "objects"}, {"refs", "refs"}};

// Whether a folder has all three when `made` is there as well. `is_there` is asked for each other
// part and takes a const char*.
template <typename IsThere>
bool HasRepositoryParts(std::string_view made, IsThere is_there) {
  return std::ranges::all_of(kRepositoryParts, [&](const RepositoryPart& part) {
    return FoldsTo(made, part.folded) || is_there(part.name);
  });
}

// In any letter case: one of the three; and a name in a repository that chooses programs which git
// runs.
bool IsRepositoryPart(std::string_view name);
bool ChoosesProgramsOfGit(std::string_view name);

// Writing there makes a repository of git's that was not there, or changes one that has no work
// tree: its configuration and hooks run code for whoever uses git in it.
bool MakesRepository(const Walked& walked, const CachedFiles& files);

// A component of `path` is such a folder: "node_modules".
bool IsInPackageStore(const Path& path, const std::vector<std::string_view>& stores);

}  // namespace ringfence
