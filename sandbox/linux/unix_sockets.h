// The Unix sockets of this host's programs, so that they can be hidden.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

// Returns the paths at which programs of this network namespace have bound sockets (unix(7),
// proc(5)). If a path no longer exists or its file has other names, adds the names of bound sockets
// in the same directory: a server can bind another name first and rename it. Sockets with a
// relative name and those that were moved to another directory are missing.
Result<std::vector<std::string>> BoundSockets();

}  // namespace ringfence
