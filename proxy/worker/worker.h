// The worker of a session: talks to the programs in the sandbox and to the hosts. It is confined
// before it reads a byte of theirs, and can open neither a file nor a socket: connections come from
// the broker.
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace ringfence {

// Serves until the broker closes its end. Programs that use the explicit proxy must send
// `credential`, if it is not "", as the password of kProxyUser. Returns the exit status.
int ServeConnections(UniqueFd broker, const std::string& credential);

}  // namespace ringfence
