// The Unix sockets of this host's programs, so that they can be hidden.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

// The paths at which programs of this network namespace have bound sockets (unix(7), proc(5)), and,
// beside a name that is gone or has links, the other names of these sockets in the same folder: a
// server may bind another name first and rename it. A socket whose folder is not told (a relative
// name), or that has moved to another folder, is missing.
Result<std::vector<std::string>> BoundSockets();

}  // namespace ringfence
