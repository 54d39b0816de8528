#include "agents/claude/setup/agent_guard.h"

#include <cstdlib>
#include <string_view>

#include "agents/claude/agent.h"
#include "base/environment.h"

namespace ringfence {
namespace {

bool IsRunByClient() { return Variable(ClaudeCode().variables.started) == "1"; }

// Older clients set only CLAUDE_CODE_ENTRYPOINT, which tells how they were started.
bool IsUnattended() {
  if (!IsRunByClient()) return false;
  const char* attended = std::getenv("CLAUDE_CODE_SESSION_ATTENDED");
  if (attended != nullptr) return std::string_view(attended) != "1";
  return Variable("CLAUDE_CODE_ENTRYPOINT").starts_with("sdk");
}

Error RefusalOf(const char* command, const char* why) {
  return UsageError(command, why, "run it in a terminal of your own, outside of Claude Code");
}

}  // namespace

Status RefuseUnattended(const char* command) {
  if (!IsUnattended()) return Unit{};
  return RefusalOf(command, "an agent runs this, and only a person may change what it is allowed");
}

Status RefuseAgent(const char* command) {
  if (!IsRunByClient()) return Unit{};
  return RefusalOf(command, "Claude Code runs this, and an agent could have asked it to");
}

}  // namespace ringfence
