// Where the names of files lead that users name or edit.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

// Where writing `path` would end: a link to a file is followed, so that the link itself stays.
Result<std::string> FollowedPath(const std::string& path);

// Both names lead to one file, whether it exists or not.
bool LeadToOneFile(const std::string& one, const std::string& other);

// The folders on the way to a file that are not there, outermost first.
std::vector<std::string> MissingFolders(const std::string& path);

// An error where a link on the way, or the file itself, leads to nothing. Its target may be on a
// disk that is not mounted now, so it is neither created nor replaced.
Status RefuseDanglingLinks(const std::string& path);

}  // namespace ringfence
