// Goes to a folder component by component and through no link, so that whoever can write somewhere
// on the way cannot have it lead to another place.
#pragma once

#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// The folder, for *at() calls. The last few that are missing are made (mode 0755).
Result<UniqueFd> OpenPlainFolder(const Path& folder);

// The same, but nothing is made: where the last few are missing, the folder that they would be made
// in.
Result<UniqueFd> OpenNearestPlainFolder(const Path& folder);

}  // namespace ringfence
