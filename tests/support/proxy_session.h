// A home with a policy, and the session that a launcher would name for it.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "agents/claude/agent.h"
#include "hook/wrap.h"
#include "proxy/link/control.h"
#include "tests/support/policy_disk.h"

namespace ringfence {

constexpr const char* kSessionId = "11111111-2222-3333-4444-555555555555";

class SessionDisk : public TemporaryTree {
 public:
  // The user's policy is {"version":1,MEMBERS}, and logs in the home.
  explicit SessionDisk(std::string_view members) {
    Directory("home/project");
    Policy(members);
  }
  void Policy(std::string_view members) const {
    File(kUserPolicyFile, "{\"version\":1,\"audit\":{\"file\":\"" + At("home/log.jsonl") + "\"}" +
                              std::string(members.empty() ? "" : ",") + std::string(members) + "}");
  }

  SessionRequest Request() const {
    const Registration registration{
        .agent = &ClaudeCode(), .project_dir = At("home/project"), .home = At("home")};
    Event caller;
    caller.session_id = kSessionId;
    caller.agent_type = "reviewer";
    return {.key = "key", .words = WrapWords(registration, caller)};
  }
  std::string Log() const {
    std::ifstream file(At("home/log.jsonl"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

}  // namespace ringfence
