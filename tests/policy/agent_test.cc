#include "policy/agent.h"

#include <doctest/doctest.h>

#include "agents/claude/agent.h"

using namespace ringfence;

TEST_CASE("agent: the sandbox flag is recognized in other spellings") {
  const Agent& claude = ClaudeCode();
  CHECK(claude.IsSandboxFlag("dangerouslyDisableSandbox"));
  CHECK(claude.IsSandboxFlag("dangerously_disable_sandbox"));
  CHECK_FALSE(claude.IsSandboxFlag("disableSandbox"));
}

TEST_CASE("agent: no model decides if the agent has no such mode") {
  CHECK(ClaudeCode().ModelDecidesIn("auto"));
  CHECK_FALSE(ClaudeCode().ModelDecidesIn("default"));
  CHECK_FALSE(Agent{}.ModelDecidesIn(""));
}

TEST_CASE("agent: without a sandbox flag, no argument counts as one") {
  const Agent agent{};
  CHECK_FALSE(agent.IsSandboxFlag(""));
  CHECK_FALSE(agent.IsSandboxFlag("dangerouslyDisableSandbox"));
}
