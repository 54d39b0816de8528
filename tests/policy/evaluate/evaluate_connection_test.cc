#include "policy/evaluate/evaluate_connection.h"

#include <doctest/doctest.h>

#include <string>

#include "policy/sandbox_network.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

// The verdict, and what the reason says.
std::string Verdict(const World& world, std::string_view host, uint16_t port) {
  Result<Policy> policy = MergePolicies(world.sources, "", world.places, {});
  REQUIRE(policy);
  policy->network = SandboxNetwork(*policy, false);
  const HostDecision decision = EvaluateConnection(host, port, *policy);
  const std::string verdict(VerdictName(decision.verdict));
  return decision.cause ? verdict + ": " + decision.cause->why : verdict;
}

}  // namespace

TEST_CASE("connection: a policy without a network permits none") {
  World world;
  CHECK(Verdict(world, "a.example", 443) == "deny: the policy permits no network");
}

TEST_CASE("connection: the listed hosts are permitted, and nothing is asked") {
  World world;
  world.User(R"("network":{"allow":["a.example","10.1.2.3","203.0.113.5:22","127.0.0.1"],
                           "unlisted":"ask"})");
  CHECK(Verdict(world, "A.example.", 443) == "permit");
  CHECK(Verdict(world, "a.example", 22) ==
        "deny: the host \"a.example\" is listed for ports 80 and 443 only");
  CHECK(Verdict(world, "b.example", 443) == "deny: the host \"b.example\" is not listed");
  CHECK(Verdict(world, "203.0.113.5", 22) == "permit");
  CHECK(Verdict(world, "203.0.113.6", 22) == "deny: the host \"203.0.113.6\" has no entry");
}

TEST_CASE("connection: an address is evaluated as an address, too") {
  World world;
  world.User(R"("network":{"allow":["10.1.2.3","127.0.0.1","host.ringfence:80"]})");
  CHECK(Verdict(world, "10.1.2.3", 443) == "permit");  // the policy lists the address itself
  CHECK(Verdict(world, "127.0.0.1", 80).starts_with("deny: "));
  CHECK(Verdict(world, "host.ringfence", 80) == "permit");
}
