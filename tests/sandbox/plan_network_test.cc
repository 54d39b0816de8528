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
      {"a port of the host is listed", "", R"("network":{"allow":["host.ringfence:5432"]})",
       PlannedNetwork::Kind::kProxy, "a way out"},
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

TEST_CASE("plan: a proxy as the only way to hosts is refused, since no back end supports it") {
  for (const ProxyAddress& proxy :
       {ProxyAddress(Path::Clean("/run/proxy")), ProxyAddress(uint16_t{3128})}) {
    PlanWorld world;
    world.command.proxy = proxy;
    for (const SandboxMode mode : {SandboxMode::kSandbox, SandboxMode::kRx, SandboxMode::kRwx}) {
      world.command.mode = mode;
      CHECK(world.WhyNot().kind == Error::Kind::kUsage);
      CHECK(world.WhyNot().where == "network");
    }
    world.command.proxy.reset();
    CHECK(world.Try());
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
