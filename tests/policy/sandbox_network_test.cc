#include "policy/sandbox_network.h"

#include <doctest/doctest.h>

#include <string>

#include "policy/evaluate/evaluate_host.h"
#include "policy/load/layers.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

// Hosts of Claude Code's own service.
constexpr const char* kService = "api.anthropic.com";

// The verdict on a host at port 443; "none" without a network.
std::string VerdictOn(const World& world, const char* host, bool is_agent) {
  Result<Policy> policy = MergePolicies(world.sources, "", world.places, {});
  REQUIRE(policy);
  policy->network = SandboxNetwork(*policy, is_agent);
  if (!policy->network) return "none";
  return std::string(VerdictName(EvaluateHost(host, 443, *policy).verdict));
}

}  // namespace

TEST_CASE("sandbox network: commands have none unless the policy mentions it") {
  World world;
  CHECK(VerdictOn(world, kService, false) == "none");
  world.User(R"("network":{"allow":["a.example"]})");
  CHECK(VerdictOn(world, "a.example", false) == "permit");
  CHECK(VerdictOn(world, kService, false) == "deny");
}

TEST_CASE("sandbox network: an agent reaches its service, unless the policy lists other hosts") {
  World world;
  CHECK(VerdictOn(world, kService, true) == "permit");
  CHECK(VerdictOn(world, "a.example", true) == "deny");
  world.User(R"("network":{"allow":["a.example"]})");
  CHECK(VerdictOn(world, kService, true) == "deny");
  CHECK(VerdictOn(world, "a.example", true) == "permit");
}

TEST_CASE("sandbox network: an untrusted project opens none, and its denials count") {
  World world;
  world.Project(R"("network":{"allow":["a.example"],"deny":["claude.ai"]})", false);
  CHECK(VerdictOn(world, "a.example", false) == "none");
  CHECK(VerdictOn(world, "a.example", true) == "deny");
  CHECK(VerdictOn(world, "claude.ai", true) == "deny");
}

TEST_CASE("sandbox network: it is the host's if every list leaves it open") {
  HostList open;
  open.unlisted = Unlisted::kAllow;
  HostList asking;
  asking.unlisted = Unlisted::kAsk;
  NetworkRules rules;
  CHECK_FALSE(IsHostNetwork(rules));
  rules.lists = {open};
  CHECK(IsHostNetwork(rules));
  rules.lists = {open, asking};
  CHECK_FALSE(IsHostNetwork(rules));
}
