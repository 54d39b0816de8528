// The broker of a session: decides which connections the worker gets, resolves names, dials, and
// logs. It holds the session's policy; it never reads a byte that a program or a host has sent.
#pragma once

#include "base/unique_fd.h"

namespace ringfence {

// Serves until the parent closes `channel`, whose first message is the session. Calls `serve`, the
// worker, in a process of its own. Returns the exit status.
int ServeSession(UniqueFd channel, int (*serve)(UniqueFd));

}  // namespace ringfence
