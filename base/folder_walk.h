// Goes to a folder component by component and through no link, so that whoever can write somewhere
// on the way cannot have it lead to another place.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// More that are missing look like a disk that is not mounted.
constexpr size_t kMostMissingFolders = 3;

// The folder, for *at() calls. The last few that are missing are made (mode 0755).
Result<UniqueFd> OpenPlainFolder(const Path& folder);

// Nothing is made: the nearest folder that exists, and the names of those below it that do not.
struct NearestFolder {
  UniqueFd fd;
  std::vector<std::string> missing;  // outermost first
};
Result<NearestFolder> OpenNearestPlainFolder(const Path& folder,
                                             size_t most_missing = kMostMissingFolders);

}  // namespace ringfence
