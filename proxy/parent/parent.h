// The per-user process of ringfence-proxy: knows the sessions, and starts one broker for each. It
// reads nothing that comes from inside a sandbox; launchers and holders talk to it by fixed
// messages (proxy/link/messages.h).
#pragma once

#include "base/unique_fd.h"

namespace ringfence {

// Serves until no session is left for a few seconds. Returns the exit status.
int ServeSessions(UniqueFd listening, UniqueFd folder);

}  // namespace ringfence
