// MakePlan(): the network.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "sandbox/render.h"
#include "tests/support/plan_world.h"

using namespace ringfence;

TEST_CASE("plan: the network is none, the proxy or, if every list leaves it open, the host's") {
  struct Row {
    std::string_view name;
    std::string_view managed;
    std::string_view user;
    PlannedNetwork::Kind want;
    std::string_view note;  // "" for none
  };
  static constexpr Row kRows[] = {
      {"nothing said", "", "", PlannedNetwork::Kind::kNone, ""},
      {"unlisted hosts are denied", "", R"("network":{"unlisted":"deny"})",
       PlannedNetwork::Kind::kProxy, ""},
      {"unlisted hosts are asked about", "", R"("network":{"unlisted":"ask"})",
       PlannedNetwork::Kind::kProxy, ""},
      {"hosts are listed", "", R"("network":{"allow":["a.example"]})", PlannedNetwork::Kind::kProxy,
       ""},
      {"every host is listed", "", R"("network":{"allow":["*"]})", PlannedNetwork::Kind::kProxy,
       "opens every host"},
      {"every host below a top-level domain is listed", "", R"("network":{"allow":["*.com"]})",
       PlannedNetwork::Kind::kProxy, "opens every host below \".com\""},
      {"a port of the host is listed", "", R"("network":{"allow":["host.ringfence:5432"]})",
       PlannedNetwork::Kind::kProxy, "a way out"},
      {"a proxy of the user's network", "",
       R"("network":{"allow":["a.example"],"upstream":"http://proxy.example:3128"})",
       PlannedNetwork::Kind::kProxy, R"("proxy.example:3128" looks names up)"},
      {"unlisted hosts are allowed", "", R"("network":{"unlisted":"allow"})",
       PlannedNetwork::Kind::kHost, "the host's network"},
      {"a deny is the hook's then", "", R"("network":{"unlisted":"allow","deny":["a.example"]})",
       PlannedNetwork::Kind::kHost, "network.deny"},
      {"the managed file is a limit", R"("network":{"unlisted":"deny"})",
       R"("network":{"unlisted":"allow"})", PlannedNetwork::Kind::kProxy, ""},
      {"denied hosts alone", "", R"("network":{"deny":["a.example"]})",
       PlannedNetwork::Kind::kProxy, ""},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    PlanWorld world;
    if (!row.managed.empty()) world.world.Managed(row.managed);
    world.world.User(row.user);
    const SandboxPlan plan = world.Plan();
    CHECK(plan.network.kind == row.want);
    CHECK(plan.weaker.empty() == row.note.empty());
    CHECK((row.note.empty() || Notes(plan, row.note)));
  }
}

TEST_CASE("plan: back ends open nothing for an unknown proxy") {
  PlanWorld world;
  world.world.User(R"("network":{"unlisted":"allow"})");
  SandboxPlan plan = world.Plan();
  const std::string host = SeatbeltProfile(plan) + WindowsPlan(plan);
  plan.network = {};
  const std::string none = SeatbeltProfile(plan) + WindowsPlan(plan);
  plan.network = {PlannedNetwork::Kind::kProxy, {5432}};
  CHECK(SeatbeltProfile(plan) + WindowsPlan(plan) == none);
  CHECK(none != host);
}

TEST_CASE("plan: without namespaces only the proxy's port is left, where that can be enforced") {
  PlanWorld world;
  world.world.User(R"("network":{"allow":["a.example", "host.ringfence:5432"]})");
  world.command.layers = SandboxLayers::kLandlock;
  world.facts.landlock_abi = 4;
  SandboxPlan plan = world.Plan();
  CHECK(plan.network.is_by_port());
  CHECK(plan.network.is_proxied());
  CHECK(plan.texts.empty());
  CHECK(plan.narrower.empty());
  CHECK(Notes(plan, "a way out"));
  world.facts.landlock_abi = 3;
  plan = world.Plan();
  CHECK(plan.network == PlannedNetwork{});
  REQUIRE(plan.narrower.size() == 1);
  CHECK(plan.narrower.front().ends_with("needs Landlock ABI 4 (Linux 6.7), and this kernel has 3"));
  world.facts.landlock_abi = 4;
  world.facts.lacks = {Feature::kSupervisor};
  plan = world.Plan();
  CHECK(plan.network == PlannedNetwork{});
  CHECK(plan.narrower.back().ends_with("needs the supervisor"));
}

TEST_CASE("plan: without veth devices the listeners take ports of the sandbox") {
  PlanWorld world;
  world.world.User(R"("network":{"allow":["a.example"]})");
  CHECK(world.Plan().weaker.empty());
  world.facts.has_veth = false;
  CHECK(Notes(world.Plan(), "no veth devices"));
  world.command.layers = SandboxLayers::kLandlock;
  world.facts.landlock_abi = 4;
  CHECK(!Notes(world.Plan(), "no veth devices"));
}

TEST_CASE("plan: without a file that names the resolver, no name is found") {
  PlanWorld world;
  world.world.User(R"("network":{"allow":["a.example"]})");
  CHECK(world.Plan().narrower.empty());
  world.world.files.Put("/etc/resolv.conf", LinkTo("nowhere"));
  const SandboxPlan plan = world.Plan();
  REQUIRE(plan.narrower.size() == 1);
  CHECK(plan.narrower.front().find("/etc/resolv.conf does not exist") != std::string::npos);
}

TEST_CASE("plan: macOS leaves only the proxy's port, once there is a proxy") {
  PlanWorld world;
  world.world.User(R"("network":{"allow":["a.example"]})");
  world.facts.system = HostSystem::kMacos;
  world.facts.has_proxy = false;
  const SandboxPlan plan = world.Plan();
  CHECK(plan.network == PlannedNetwork{});
  REQUIRE(plan.narrower.size() == 1);
  CHECK(plan.narrower.front().ends_with("the egress proxy does not run on this system"));
  world.facts.has_proxy = true;
  CHECK(world.Plan().network.is_by_port());
}

TEST_CASE("plan: a trial uses no proxy") {
  PlanWorld world;
  world.world.User(R"("network":{"allow":["a.example"]})");
  CHECK(world.Plan().network.is_proxied());
  world.command.is_trial = true;
  CHECK(world.Plan().network == PlannedNetwork{});
}

TEST_CASE("plan: an agent reaches its own service, its commands nothing") {
  PlanWorld world;
  CHECK_FALSE(world.Plan().network.is_proxied());
  world.command.is_agent = true;
  const SandboxPlan plan = world.Plan();
  CHECK(plan.network.is_proxied());
  CHECK(plan.network.ports.empty());
}

TEST_CASE("plan: the network has a name") {
  PlanWorld world;
  CHECK(NetworkName(world.Plan()) == "own loopback");
  world.command.layers = SandboxLayers::kLandlock;
  CHECK(NetworkName(world.Plan()) == "none");
  world.world.User(R"("network":{"unlisted":"allow"})");
  CHECK(NetworkName(world.Plan()) == "host");
  SandboxPlan plan = world.Plan();
  plan.network = {PlannedNetwork::Kind::kProxy, {}};
  CHECK(NetworkName(plan) == "proxy");
  plan.is_nested = true;
  CHECK(NetworkName(plan) == "outer");
  PlanWorld bare;
  bare.command.mode = SandboxMode::kRwx;
  CHECK(NetworkName(bare.Plan()) == "host");
}

TEST_CASE("plan: an untrusted project opens no network") {
  PlanWorld world;
  world.world.Project(R"("network":{"unlisted":"allow"})", false);
  CHECK(world.Plan().network == PlannedNetwork{});
}
