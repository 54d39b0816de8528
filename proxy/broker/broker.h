// The broker of a session: decides which connections the worker gets, resolves names, dials, and
// logs. It holds the session's policy; it never reads a byte that a program or a host has sent. Of
// the proxy of network.upstream it reads the answer to CONNECT, and nothing after that.
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace ringfence {

// Serves connections, as the worker. `credential` is that of the session.
using ServeFunction = int (*)(UniqueFd broker, const std::string& credential);

// Serves until the parent closes `channel`, whose first message is the session. Calls `serve` in a
// process of its own. Returns the exit status.
int ServeSession(UniqueFd channel, ServeFunction serve);

}  // namespace ringfence
