// Where the commands of one session of the client keep what they write to /tmp.
#pragma once

#include <string_view>

#include "policy/path.h"
#include "policy/places.h"

namespace ringfence {

// Holds the folders of all sessions: nobody but the user may enter it, and it is hidden in every
// sandbox. "/" where no home is known.
Path SessionFolders(const Places& places);

// The session's own, by a digest of its name; "/" where there is none.
Path SessionFolder(const Places& places, std::string_view session);

}  // namespace ringfence
