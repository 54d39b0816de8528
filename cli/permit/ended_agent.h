// Whether the agent of a session that `ringfence run` named itself still runs.
#pragma once

#include <string>

namespace ringfence {

// True if `session` belongs to a confined agent (IsAgentSession) whose launcher has ended; also
// removes the lock file that a killed launcher left behind. False for any other session: there is
// no way to tell whether it has ended.
bool IsEndedAgent(const std::string& home, const std::string& session);

}  // namespace ringfence
