// Lists what a stage has removed from the project.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "staging/change_list.h"

namespace ringfence {

// Adds a removal for the name in the directory `folder` of the project, and for everything in it.
// `path` is relative to the project, `depth` the number of directories above that count. Does
// nothing if the name does not exist.
Status AddRemoved(const UniqueFd& folder, const std::string& path, ChangeList& changes,
                  int depth = 0);
// The same only for what is in the directory of that name.
Status AddRemovedInside(const UniqueFd& folder, const std::string& path, ChangeList& changes,
                        int depth = 0);

Error NestedTooDeeply(const std::string& path);

// True if the change leaves the same bytes or the same target of a link. `before` and `after` are
// the directories that hold the two.
Result<bool> IsSameContent(const UniqueFd& before, const UniqueFd& after, const Change& change);

}  // namespace ringfence
