// Whether the agent of a session that `ringfence run` named itself still runs.
#pragma once

#include <string>

namespace ringfence {

// True if `session` is that of a confined agent (IsAgentSession) whose launcher has ended; removes
// what a killed launcher left of its lock. False for all other sessions, whose end nobody knows.
bool IsEndedAgent(const std::string& home, const std::string& session);

}  // namespace ringfence
