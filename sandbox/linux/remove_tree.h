// Removes a folder with everything in it, whatever a confined program left there: any depth, any
// names, folders without rights. No name is followed out of it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

// The caller has ended everybody who could still write there. What has gone meanwhile is no error.
Status RemoveTree(const std::string& folder);

// The names in a folder, without "." and "..".
Result<std::vector<std::string>> NamesIn(int folder);

}  // namespace ringfence
