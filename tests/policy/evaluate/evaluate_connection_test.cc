#include "policy/evaluate/evaluate_connection.h"

#include <doctest/doctest.h>

#include <string>

#include "policy/sandbox_network.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

// The verdict, and what the reason says.
std::string Decided(const World& world, std::string_view host, uint16_t port) {
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
  CHECK(Decided(world, "a.example", 443) == "deny: the policy permits no network");
}

TEST_CASE("connection: the listed hosts are permitted, and nothing is asked") {
  World world;
  world.User(R"("network":{"allow":["a.example","10.1.2.3","203.0.113.5:22","127.0.0.1"],
                           "unlisted":"ask"})");
  CHECK(Decided(world, "A.example.", 443) == "permit");
  CHECK(Decided(world, "a.example", 22) ==
        "deny: the host \"a.example\" is listed for ports 80 and 443 only, and a connection cannot "
        "ask");
  CHECK(Decided(world, "b.example", 443) ==
        "deny: the host \"b.example\" is not listed, and a connection cannot ask");
  CHECK(Decided(world, "203.0.113.5", 22) == "permit");
  CHECK(Decided(world, "203.0.113.6", 22) == "deny: the host \"203.0.113.6\" has no entry");
}

TEST_CASE("connection: this machine has one name, whether or not another is listed") {
  World world;
  world.User(R"("network":{"allow":["127.0.0.1","localhost","0.0.0.0","host.ringfence:5432"],
                           "deny":["127.0.0.3"],"unlisted":"ask"})");
  const Result<Policy> policy = MergePolicies(world.sources, "", world.places, {});
  REQUIRE(policy);
  for (const char* host :
       {"127.0.0.1", "127.0.0.2", "[::1]", "localhost", "LocalHost.", "x.localhost"}) {
    CAPTURE(host);
    const HostDecision decision = EvaluateConnection(host, 80, *policy);
    CHECK(decision.verdict == Verdict::kDeny);
    CHECK(decision.cause->why.ends_with(" is loopback: only host.ringfence leads to this machine"));
    CHECK(decision.cause->remedy == "Ask the user to run `ringfence allow host.ringfence:80`.");
    CHECK(EvaluateConnection(host, 5432, *policy).cause->remedy ==
          "Connect to \"host.ringfence:5432\" instead.");
  }
  CHECK(Decided(world, "127.0.0.3", 80) == "deny: denied by \"127.0.0.3\"");
  for (const char* host : {"0.0.0.0", "[::]", "224.0.0.1"}) {
    const HostDecision unusable = EvaluateConnection(host, 80, *policy);
    CHECK(unusable.cause->why.ends_with(" is unusable"));
    CHECK(unusable.cause->remedy.empty());
  }
  CHECK(
      Decided(world, "xlocalhost", 80).starts_with("deny: the host \"xlocalhost\" is not listed"));
}

TEST_CASE("connection: a host that the policy would ask about can be permitted") {
  World world;
  world.User(R"("network":{"unlisted":"ask"})");
  const Result<Policy> policy = MergePolicies(world.sources, "", world.places, {});
  REQUIRE(policy);
  const auto remedy = [&](uint16_t port) {
    return EvaluateConnection("b.example", port, *policy).cause->remedy;
  };
  CHECK(remedy(443) == "Ask the user to run `ringfence allow b.example`.");
  CHECK(remedy(22) == "Ask the user to run `ringfence allow b.example:22`.");
}

TEST_CASE("connection: in the sandbox of an agent the user permits a host in another terminal") {
  World world;
  world.User(R"("network":{"allow":["a.example"],"deny":["d.example"]})");
  world.Managed(R"("network":{"allow":["a.example","d.example","b.example"]})");
  Result<Policy> policy = MergePolicies(world.sources, "", world.places, {});
  REQUIRE(policy);
  for (auto& list : policy->network->lists) {
    if (list.place.file == "managed.json") list.place.file = kManagedPolicy;
  }
  const auto remedy = [&](std::string_view host, uint16_t port) {
    HostDecision decision = EvaluateConnection(host, port, *policy);
    SuggestSession(decision, port, *policy, "agent-1");
    return decision.cause ? decision.cause->remedy : "none";
  };
  CHECK(
      remedy("b.example", 443) ==
      "Ask the user to run `ringfence allow --session-id agent-1 b.example` in another terminal.");
  CHECK(remedy("a.example", 443) == "none");
  CHECK(remedy("d.example", 443).empty());
  // Only the user's own policy can have it, and a session's cannot.
  CHECK(remedy("host.ringfence", 80).find("--session") == std::string::npos);
  CHECK(remedy("169.254.169.254", 80).empty());
  CHECK(remedy("managed.example", 443).find("--session") == std::string::npos);
}

TEST_CASE("connection: why a sandbox has no network") {
  World world;
  Policy policy;
  policy.agent = world.places.agent;
  Cause cause = NoNetworkCause("a.example:22", policy);
  CHECK(cause.what == "connection to \"a.example:22\"");
  CHECK(cause.why == "commands have no network: the policy has no \"network\"");
  CHECK(cause.remedy == "Ask the user to run `ringfence allow a.example:22`.");
  CHECK_FALSE(NoNetworkCause("10.1.2.3", policy).remedy.empty());
  for (const char* host : {"a:b@c", "127.0.0.1:80", "localhost:3000", "169.254.169.254", "0.0.0.0"})
    CHECK(NoNetworkCause(host, policy).remedy.empty());
  policy.network.emplace();  // of a project that is not trusted
  cause = NoNetworkCause("a.example", policy);
  CHECK(cause.why.find("only the policy of an untrusted project") != std::string::npos);
  CHECK(cause.remedy.empty());
}

TEST_CASE("connection: an address is evaluated as an address, too") {
  World world;
  world.User(R"("network":{"allow":["10.1.2.3","127.0.0.1","host.ringfence:80"]})");
  CHECK(Decided(world, "10.1.2.3", 443) == "permit");  // the policy lists the address itself
  CHECK(Decided(world, "127.0.0.1", 80).starts_with("deny: "));
  CHECK(Decided(world, "host.ringfence", 80) == "permit");
}
