// Where the commands of one session of the client keep what they write to /tmp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/path.h"
#include "policy/places.h"

namespace ringfence {

// Holds the folders of all sessions: nobody but the user may enter it, and it is hidden in every
// sandbox. "/" where no home is known.
Path SessionFolders(const Places& places);

// The session's own, by a digest of its name; "/" where there is none.
Path SessionFolder(const Places& places, std::string_view session);

// Where nothing can be mounted, a sandbox without a session has a folder of this name for its
// temporary files; a launcher that was killed leaves it.
std::string ScratchFolder(uint64_t number);
bool IsScratch(const Path& path, const Path& tmp);

}  // namespace ringfence
