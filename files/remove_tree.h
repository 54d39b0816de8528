// Removes a directory with everything in it, whatever a confined program left there: any depth, any
// names, directories without permissions. Follows no name out of it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// The caller has ended all processes that could still write there. A name that no longer exists is
// not an error.
Status RemoveTree(const std::string& folder);
// The same for the name `name` in an open directory: a file, a link or a directory.
Status RemoveTreeAt(int folder, const std::string& name);

// Returns the names in a directory, without "." and "..".
Result<std::vector<std::string>> NamesIn(const UniqueFd& folder);

}  // namespace ringfence
