// Resolves the names of files that users name or edit.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

// Returns the file to write for `path`: follows a link, so that the link itself stays.
Result<std::string> FollowedPath(const std::string& path);

// True if both names lead to the same file, which need not exist.
bool LeadToOneFile(const std::string& one, const std::string& other);

// The missing directories of a path, outermost first.
std::vector<std::string> MissingFolders(const std::string& path);

// Returns an error if the file or a directory of its path is a dangling link. The target may be on
// a disk that is not mounted, so it is neither created nor replaced.
Status RefuseDanglingLinks(const std::string& path);

}  // namespace ringfence
