#include "policy/sandbox_network.h"

#include <doctest/doctest.h>

#include <string>

#include "policy/evaluate/evaluate_host.h"
#include "policy/evaluate/fix.h"
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

TEST_CASE("sandbox network: what the user grants for a session counts for the agent") {
  World world;
  world.Session(R"("network":{"allow":["a.example"]})");
  CHECK(VerdictOn(world, "a.example", true) == "permit");
  CHECK(VerdictOn(world, "b.example", true) == "deny");
  CHECK(VerdictOn(world, "a.example", false) == "none");
  world.User(R"("network":{"allow":["c.example"]})");
  CHECK(VerdictOn(world, "a.example", true) == "permit");
  CHECK(VerdictOn(world, "a.example", false) == "permit");
}

TEST_CASE("sandbox network: such a grant opens nothing that an untrusted project denies") {
  World world;
  world.Project(R"("network":{"deny":["claude.ai"]})", false);
  world.Session(R"("network":{"allow":["a.example","claude.ai"]})");
  CHECK(VerdictOn(world, "a.example", true) == "permit");
  CHECK(VerdictOn(world, "claude.ai", true) == "deny");
}

TEST_CASE("sandbox network: a refusal without a list of the user's own names the command") {
  World world;
  const auto remedy = [&world] {
    Result<Policy> policy = MergePolicies(world.sources, "", world.places, {});
    REQUIRE(policy);
    policy->network = SandboxNetwork(*policy, true);
    return EvaluateHost("a.example", 22, *policy).cause->remedy;
  };
  CHECK(remedy() == "Ask the user to run `ringfence allow a.example:22`.");
  world.Add(Layer::kCommandLine, "\"tools\":{}");
  const std::string file(world.sources.sources.back().file->path);
  CHECK(remedy() == "Ask the user to run `ringfence allow --policy " + file + " a.example:22`.");
}

TEST_CASE("sandbox network: a host can be allowed for a session, unless others decide") {
  World world;
  const auto fix = [&world](const char* file, const char* pointer, const std::string& words,
                            const std::string& session = "") {
    Result<Policy> policy = MergePolicies(world.sources, "", world.places, {});
    REQUIRE(policy);
    return AllowInSessionFix(*policy, {.file = file, .pointer = pointer}, words, session);
  };
  CHECK(fix("policy.json", "/network", "a.example") ==
        "Ask the user to run `ringfence allow --session a.example` in another terminal.");
  CHECK(
      fix("policy.json", "/network", "a.example", "agent-1")
          .starts_with("Ask the user to run `ringfence allow --session-id agent-1 a.example` in "));
  CHECK(fix("policy.json", "/profiles/w/network", "a.example").empty());
  CHECK(fix("policy.json", "/network", "").empty());
  world.AddFile(Layer::kCommandLine, R"({"version":1})");
  CHECK(fix("policy.json", "/network", "a.example")
            .starts_with("Ask the user to run `ringfence allow --session --policy "));
  Result<Policy> unnamed = MergePolicies(world.sources, "", world.places, {});
  REQUIRE(unnamed);
  unnamed->named_file = "/proc/self/fd/3";  // no command can name it later
  CHECK(AllowInSessionFix(*unnamed, {.file = "policy.json", .pointer = "/network"}, "a.example", "")
            .empty());
}
