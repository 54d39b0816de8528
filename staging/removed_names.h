// Lists what a stage has removed from the project.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "staging/change_list.h"

namespace ringfence {

// Adds a removal for the name in the directory `folder` of the project, and for everything in it.
// `path` is relative to the project. Does nothing if the name does not exist.
Status AddRemoved(const UniqueFd& folder, const std::string& path, ChangeList& changes);
// The same only for what is in the directory of that name, unless it IsTooDeep().
Status AddRemovedInside(const UniqueFd& folder, const std::string& path, ChangeList& changes);

// True if both have the same permissions and extended attributes.
bool HasSameFacts(const Entry& one, const Entry& other);

// True if the change leaves the same bytes or the same target of a link. `before` and `after` are
// the directories that hold the two.
Result<bool> IsSameContent(const UniqueFd& before, const UniqueFd& after, const Change& change);

}  // namespace ringfence
