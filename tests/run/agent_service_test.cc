#include "run/agent_service.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "agents/claude/agent.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

std::string TargetWith(std::vector<std::string> environment, bool is_agent = true) {
  SandboxCommand command;
  command.is_agent = is_agent;
  command.environment = std::move(environment);
  const AgentService service = ServiceOf(command, ClaudeCode());
  return service.host.empty() ? "" : service.target();
}

// Why an agent cannot reach its service, under the world's policies.
std::string WhyShut(const World& world, const AgentService& service, PlannedNetwork::Kind kind) {
  Result<Policy> policy = MergePolicies(world.sources, "", world.places, {});
  REQUIRE(policy);
  RunRequest request;
  request.policy = *policy;
  request.command.is_agent = true;
  SandboxPlan plan;
  plan.network.kind = kind;
  return WhyServiceIsShut(service, request, plan);
}

constexpr PlannedNetwork::Kind kProxy = PlannedNetwork::Kind::kProxy;

}  // namespace

TEST_CASE("agent service: its own, or the one that a variable names") {
  CHECK(TargetWith({}) == "api.anthropic.com:443");
  CHECK(TargetWith({"ANTHROPIC_BASE_URL="}) == "api.anthropic.com:443");
  CHECK(TargetWith({"ANTHROPIC_BASE_URL=https://Gateway.example/claude"}) == "gateway.example:443");
  CHECK(TargetWith({"ANTHROPIC_BASE_URL=http://127.0.0.1:8080"}) == "127.0.0.1:8080");
  CHECK(TargetWith({}, false).empty());
}

TEST_CASE("agent service: unknown if another provider is chosen, or the text is no URL") {
  CHECK(TargetWith({"CLAUDE_CODE_USE_BEDROCK=1"}).empty());
  CHECK(TargetWith({"CLAUDE_CODE_USE_VERTEX=true"}).empty());
  CHECK(TargetWith({"CLAUDE_CODE_USE_BEDROCK=0", "CLAUDE_CODE_USE_VERTEX="}) ==
        "api.anthropic.com:443");
  CHECK(TargetWith({"CLAUDE_CODE_USE_POWERSHELL_TOOL=1"}) == "api.anthropic.com:443");
  CHECK(TargetWith({"ANTHROPIC_BASE_URL=gateway.example"}).empty());
  CHECK(TargetWith({"ANTHROPIC_BASE_URL=https://"}).empty());
}

TEST_CASE("agent service: a policy that does not list it is known before the start") {
  World world;
  const AgentService service{"api.anthropic.com", 443};
  CHECK(WhyShut(world, service, kProxy).empty());
  world.User(R"("network":{"allow":["a.example"]})");
  const std::string why = WhyShut(world, service, kProxy);
  CHECK(why.starts_with(R"(connection to "api.anthropic.com:443" refused: the host)"));
  CHECK(why.find("`ringfence allow api.anthropic.com`") != std::string::npos);
  CHECK(WhyShut(world, service, PlannedNetwork::Kind::kHost).empty());
  CHECK(WhyShut(world, {}, kProxy).empty());
}

TEST_CASE("agent service: on this machine's loopback, it has another name in the sandbox") {
  const World world;
  for (const char* host : {"127.0.0.1", "localhost", "api.localhost", "::1"}) {
    CAPTURE(host);
    const std::string why = WhyShut(world, {host, 8080}, kProxy);
    CHECK(why.find("Name host.ringfence:8080 instead") != std::string::npos);
    CHECK(WhyShut(world, {host, 8080}, PlannedNetwork::Kind::kHost).empty());
  }
}
