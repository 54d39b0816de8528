// host.ringfence, the loopback of the host.
#include <doctest/doctest.h>

#include "tests/support/host_rows.h"

using namespace ringfence;

TEST_CASE("evaluator host: host.ringfence is a port of this machine, and needs its own entry") {
  World world;
  const Policy policy = PolicyOfUser(world, R"("network":{
      "allow":["*","*:5432","host.ringfence:5432","host.ringfence:9229"],
      "deny":["host.ringfence:9229"],"unlisted":"allow"})");
  static constexpr HostRow kRows[] = {
      {"host.ringfence", 5432, "permit by host.ringfence:5432"},
      {"HOST.Ringfence.", 5432, "permit by host.ringfence:5432"},
      {"host.ringfence", 9229, "deny by host.ringfence:9229"},
      {"host.ringfence", 443, "deny"},
      {"host.ringfence", 0, "deny"},
      {"x.ringfence", 443, "deny"},
      {"x.host.ringfence", 5432, "deny"},
  };
  CheckHosts(policy, kRows);
  const Cause cause = *EvaluateHost("host.ringfence", 443, policy).cause;
  CHECK(cause.why == R"(the host "host.ringfence" is listed for ports 5432 and 9229 only)");
  CHECK(cause.remedy == "Ask the user to run `ringfence allow host.ringfence:443`.");
  CHECK(cause.host == "host.ringfence:443");
  CHECK(EvaluateHost("x.ringfence", 1, policy).cause->why == "it is a reserved name");
  World asks;
  const Policy asking = PolicyOfUser(asks, R"("network":{"unlisted":"ask"})");
  static constexpr HostRow kAsked[] = {{"host.ringfence", 443, "deny"},
                                       {"any.example", 443, "ask"}};
  CheckHosts(asking, kAsked);
  World denies;
  const Policy denied =
      PolicyOfUser(denies, R"("network":{"allow":["host.ringfence:80"],"deny":["*"]})");
  static constexpr HostRow kDenied[] = {{"host.ringfence", 80, "deny by *"}};
  CheckHosts(denied, kDenied);
}

TEST_CASE("evaluator host: a project's list neither permits nor limits host.ringfence") {
  constexpr std::string_view kUsers = R"("network":{"allow":["a.example","host.ringfence:5432"]})";
  constexpr std::string_view kProjects = R"("network":{"allow":["a.example","b.example"]})";
  for (const bool trusted : {true, false}) {
    CAPTURE(trusted);
    World world;
    world.Project(kProjects, trusted);
    const Policy policy = PolicyOfUser(world, kUsers);
    CHECK(Said(EvaluateHost("host.ringfence", 5432, policy)) == "permit by host.ringfence:5432");
    CHECK(Said(EvaluateHost("host.ringfence", 5433, policy)) == "deny");
    CHECK(Said(EvaluateHost("b.example", 443, policy)) ==
          (trusted ? "permit by b.example" : "deny"));
  }
  World no_list;
  no_list.Project(kProjects, true);
  const Policy closed = PolicyOfUser(no_list, R"("network":{"unlisted":"allow"})");
  CHECK(Said(EvaluateHost("host.ringfence", 5432, closed)) == "deny");
  // A deny of the project counts.
  World denies;
  denies.Project(R"("network":{"deny":["host.ringfence:5432"]})", false);
  CHECK(Said(EvaluateHost("host.ringfence", 5432, PolicyOfUser(denies, kUsers))) ==
        "deny by host.ringfence:5432");
  // Without a list of the user's own, nothing permits it, and no command could.
  for (const bool trusted : {true, false}) {
    CAPTURE(trusted);
    World only;
    only.Project(R"("network":{"allow":["*"],"unlisted":"allow"})", trusted);
    const Policy policy = only.Merged(only.EventOf("Bash", "{}"));
    const HostDecision decision = EvaluateHost("host.ringfence", 5432, policy);
    CHECK(Said(decision) == "deny");
    CHECK(decision.cause->place.has_value() == trusted);
    CHECK(decision.cause->remedy ==
          R"(Ask the user to list "host.ringfence:5432" in the "network" of their own policy.)");
  }
}

TEST_CASE("evaluator host: a managed list limits host.ringfence") {
  World world;
  world.Managed(R"("network":{"allow":["host.ringfence:1"],"unlisted":"allow"})");
  const Policy policy =
      PolicyOfUser(world, R"("network":{"allow":["host.ringfence:1","host.ringfence:2"]})");
  static constexpr HostRow kRows[] = {{"host.ringfence", 1, "permit by host.ringfence:1"},
                                      {"host.ringfence", 2, "deny"}};
  CheckHosts(policy, kRows);
}

TEST_CASE("evaluator host: a session's grant permits host.ringfence") {
  World world;
  world.Session(R"("network":{"allow":["host.ringfence:1"]})");
  const Policy policy = PolicyOfUser(world, R"("network":{"allow":["a.example"]})");
  static constexpr HostRow kRows[] = {{"host.ringfence", 1, "permit by host.ringfence:1"}};
  CheckHosts(policy, kRows);
}
