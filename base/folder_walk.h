// Opens a directory component by component without following links, so that a process that can
// write to one of its ancestors cannot redirect it to another place.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// If more are missing, the disk is probably not mounted.
constexpr size_t kMostMissingFolders = 3;

// Opens the directory, for *at() calls. Creates up to kMostMissingFolders missing directories at
// the end of the path (mode 0755).
Result<UniqueFd> OpenPlainFolder(const Path& folder);

// The nearest directory that exists, and the names of the missing ones below it. Creates nothing.
struct NearestFolder {
  UniqueFd fd;
  std::vector<std::string> missing;  // outermost first
};
Result<NearestFolder> OpenNearestPlainFolder(const Path& folder,
                                             size_t most_missing = kMostMissingFolders);

}  // namespace ringfence
