// MakePlan(): a plan contains the names of the system that it is for.
#include <doctest/doctest.h>

#include <algorithm>

#include "sandbox/environment.h"
#include "sandbox/private_folders.h"
#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

SandboxPlan PlanFor(HostSystem system, std::string_view policy = "") {
  PlanWorld world;
  world.facts.system = system;
  world.world.files.Put("/usr/bin", Directory());
  world.world.files.Put("/opt/x", Directory());
  world.world.files.Put("/private/tmp/x", File());
  if (!policy.empty()) world.world.User(policy);
  return world.Plan();
}

constexpr HostSystem kOthers[] = {HostSystem::kMacos, HostSystem::kWindows};

}  // namespace

TEST_CASE("plan: the self-test is for Linux, and so is its name") {
  const auto holds = [](const SandboxPlan& plan) {
    return std::ranges::any_of(plan.names.rules(), [](const GuardedName& rule) {
      return rule.text().find("self-test") != std::string::npos;
    });
  };
  CHECK(holds(PlanFor(HostSystem::kLinux)));
  for (const HostSystem system : kOthers) CHECK_FALSE(holds(PlanFor(system)));
}

TEST_CASE("plan: temporary files are in the private directory of each system") {
  const auto tmp = [](HostSystem system) {
    return std::string(EnvironmentValue(PlanFor(system).environment, "TMPDIR"));
  };
  CHECK(tmp(HostSystem::kLinux) == "/tmp");
  CHECK(tmp(HostSystem::kMacos) == "/private/tmp/ringfence-1000");
  CHECK(tmp(HostSystem::kWindows).empty());
  CHECK(EnvironmentValue(PlanFor(HostSystem::kMacos).environment, "XDG_CACHE_HOME") ==
        "/private/tmp/ringfence-1000/.cache");
}

TEST_CASE("plan: a variable that names /tmp keeps the caller's value") {
  PlanWorld world;
  world.facts.system = HostSystem::kMacos;
  world.command.environment.emplace_back("PYTHONPATH=/tmp/lib");
  CHECK(EnvironmentValue(world.Plan().environment, "PYTHONPATH") == "/tmp/lib");
}

TEST_CASE("plan: only Linux has a separate run-time directory") {
  const auto runtime = [](HostSystem system) {
    return std::string(EnvironmentValue(PlanFor(system).environment, "XDG_RUNTIME_DIR"));
  };
  CHECK(runtime(HostSystem::kLinux) == "/run/user/1000");
  for (const HostSystem system : kOthers) CHECK(runtime(system).empty());
}

TEST_CASE("plan: names are free in directories that are private on this system, not on another") {
  const auto free = [](HostSystem system, std::string_view path) {
    return PlanFor(system).names.Refuses(path) == nullptr;
  };
  CHECK(free(HostSystem::kLinux, "/tmp/x/.git/hooks/y"));
  CHECK_FALSE(free(HostSystem::kMacos, "/tmp/x/.git/hooks/y"));
  CHECK_FALSE(free(HostSystem::kMacos, "/private/tmp/x/.git/hooks/y"));
  CHECK(free(HostSystem::kMacos, "/private/tmp/ringfence-1000/x/.git/hooks/y"));
  CHECK_FALSE(free(HostSystem::kWindows, "/tmp/x/.git/hooks/y"));
}

TEST_CASE("plan: system paths that programs need are listed for Linux; others add their own") {
  constexpr const char* kListed = R"("sandbox":{"reads":"listed"})";
  CHECK(PlacesText(PlanFor(HostSystem::kLinux, kListed).readable).find("/usr") !=
        std::string::npos);
  for (const HostSystem system : kOthers) {
    const std::string readable = PlacesText(PlanFor(system, kListed).readable);
    CHECK(readable.find("/usr") == std::string::npos);
    CHECK(readable.find("/opt") == std::string::npos);
  }
}

TEST_CASE("plan: the host's temporary directory has two names on macOS") {
  constexpr const char* kAllow = R"("write":{"allow":["/private/tmp"]})";
  CHECK_FALSE(PlanFor(HostSystem::kMacos, kAllow).private_tmp);
  CHECK(PlanFor(HostSystem::kLinux, kAllow).private_tmp);
}
