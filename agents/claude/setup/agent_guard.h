// Commands that change what an agent may do refuse to run for an agent. This stops accidents and
// simple tricks. It does not stop an agent that changes its environment; the sandbox does.
//
// Measured on Claude Code 2.1.330 and 2.1.331: a Bash call of the model and a line that the user
// types after "!" start programs with the same environment, the same parents and no terminal. Only
// a session without a user can be recognized.
#pragma once

#include "base/result.h"

namespace ringfence {

// Fails if the client runs `command` in a session without a user (`claude -p`, the SDK).
Status RefuseUnattended(const char* command);

// Fails if any session of the client runs it. For commands that belong in the user's own terminal.
Status RefuseAgent(const char* command);

}  // namespace ringfence
