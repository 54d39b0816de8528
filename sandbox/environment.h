// The environment of a confined command: variables on an allow list, and directories that the
// command may write.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/agent.h"
#include "policy/policy.h"

namespace ringfence {

struct EnvironmentRequest {
  const std::vector<std::string>& caller;  // "NAME=value"
  const SandboxRules& rules;
  const Agent& agent;
  bool is_agent = false;           // the agent itself is confined, not one of its commands
  bool uses_host_network = false;  // proxies of the host can be reached
  bool is_nested = false;          // the egress proxy of the sandbox around it can be reached
  uint32_t user = 0;
  std::string_view tmp;                  // private to the sandbox; "" for none
  std::string_view runtime;              // for sockets, private to the sandbox; "" for none
  std::vector<std::string> caches = {};  // variables that name cache directories
  std::string_view marker;               // the layers, for programs inside that check for a sandbox
};
std::vector<std::string> PlanEnvironment(const EnvironmentRequest& request);

// True if a command gets the variable ("NAME=value" or "NAME") unless the policy has a list.
bool IsUsualVariable(std::string_view variable);

// Replaces the variable of the same name.
void SetVariable(std::vector<std::string>& environment, const std::string& variable);

// Points programs to the egress proxy on the loopback, which asks for `credential`. Covers those
// that know the usual variables, and Node.js from version 24 on.
void SetProxyVariables(std::vector<std::string>& environment, uint16_t port,
                       std::string_view credential);
std::vector<std::string> ProxyVariableNames();  // those that it sets

// The paths at which a program is looked for, in order, as execvp(3) does with this PATH, but never
// in a relative directory of it.
std::vector<std::string> ProgramCandidates(const std::string& program, std::string_view path);

// The value of `name`, or "".
std::string_view EnvironmentValue(std::span<const std::string> environment, std::string_view name);

}  // namespace ringfence
