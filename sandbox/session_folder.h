// The directory in which the commands of one client session keep their /tmp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/path.h"
#include "policy/places.h"

namespace ringfence {

// Returns the directory that holds all sessions' directories. Only the user may enter it, and every
// sandbox hides it. "/" if no home is known.
Path SessionFolders(const Places& places);

// Returns the session's own directory, named by a digest; "/" if there is no session.
Path SessionFolder(const Places& places, std::string_view session);

// Name of the temporary directory for a sandbox without a session, if nothing can be mounted. A
// killed launcher leaves the directory behind.
std::string ScratchFolder(uint64_t number);
bool IsScratch(const Path& path, const Path& tmp);

}  // namespace ringfence
