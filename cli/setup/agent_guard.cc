#include "cli/setup/agent_guard.h"

#include <cstdlib>
#include <string>
#include <string_view>

namespace ringfence {
namespace {

bool IsSet(const char* name, std::string_view value) {
  const char* found = std::getenv(name);
  return found != nullptr && found == value;
}

bool IsRunByClient() { return IsSet("CLAUDECODE", "1"); }

// Older clients set only CLAUDE_CODE_ENTRYPOINT, which tells how they were started.
bool IsUnattended() {
  if (!IsRunByClient()) return false;
  if (std::getenv("CLAUDE_CODE_SESSION_ATTENDED") != nullptr) {
    return !IsSet("CLAUDE_CODE_SESSION_ATTENDED", "1");
  }
  const char* entry = std::getenv("CLAUDE_CODE_ENTRYPOINT");
  return entry != nullptr && std::string_view(entry).starts_with("sdk");
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
