// MakePlan(): limits, the environment, and features that the host lacks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>

#include "base/syscall.h"
#include "sandbox/environment.h"
#include "sandbox/render.h"
#include "tests/support/plan_world.h"

using namespace ringfence;

TEST_CASE("plan: limits come from the policy, and the number of processes is always limited") {
  PlanWorld world;
  CHECK(world.Plan().limits.processes == 4096);
  CHECK_FALSE(world.Plan().limits.memory.has_value());
  CHECK(world.Plan().limits.cgroup.empty());  // only for limits in the policy
  world.world.User(R"("sandbox":{"memory":"8G","processes":512,"cpus":2.5,"io":"200M"})");
  const SandboxPlan plan = world.Plan();
  CHECK(plan.limits.memory == uint64_t{8} << 30);
  CHECK(plan.limits.processes == 512);
  CHECK(plan.limits.cpus == 2.5);
  CHECK(plan.limits.io == uint64_t{200} << 20);
  CHECK(plan.limits.cgroup == "/sys/fs/cgroup/user.slice");
  for (const char* controller : {"cpu", "io", "memory", "pids"}) {
    CHECK(plan.limits.is_by_cgroup(controller));
  }
  CHECK(plan.weaker.empty());
}

TEST_CASE("plan: a limit without a controller in the delegated cgroup is reported as weaker") {
  PlanWorld world;
  world.facts.controllers = {"memory", "pids"};
  world.world.User(R"("sandbox":{"memory":"8G","cpus":2,"io":"1M"})");
  const SandboxPlan plan = world.Plan();
  CHECK(plan.limits.controllers == std::vector<std::string>{"memory"});
  CHECK(plan.weaker.size() == 2);
  CHECK(Notes(plan, "cpus: whole processors"));
  CHECK(Notes(plan, "with the io controller"));
}

TEST_CASE("plan: a cgroup found to be unusable is not planned again") {
  PlanWorld world;
  world.facts.lacks = {Feature::kDelegation};
  world.world.User(R"("sandbox":{"memory":"8G"})");
  CHECK(world.Plan().limits.cgroup.empty());
  CHECK(Notes(world.Plan(), "memory is limited for each process"));
}

TEST_CASE("plan: the smallest memory limit of a policy is accepted") {
  PlanWorld enough;
  enough.world.User(R"("sandbox":{"memory":"16M"})");
  CHECK(enough.Plan().limits.memory == uint64_t{16} << 20);
}

TEST_CASE("plan: a note says that root's processes are not limited") {
  PlanWorld world;
  CHECK_FALSE(Notes(world.Plan(), "processes"));
  world.facts.user = 0;
  CHECK(Notes(world.Plan(), "processes"));
}

TEST_CASE("plan: limits that need a cgroup are reported as weaker without one") {
  struct Row {
    std::string_view policy;
    std::string_view note;
  };
  static constexpr Row kRows[] = {
      {R"("sandbox":{"memory":"8G"})", "memory"},
      {R"("sandbox":{"cpus":2})", "cpus"},
      {R"("sandbox":{"io":"1M"})", "io is not limited"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.note);
    PlanWorld world;
    world.facts.cgroup = "";
    CHECK(world.Plan().weaker.empty());
    world.world.User(row.policy);
    CHECK(world.Plan().weaker.size() == 1);
    CHECK(Notes(world.Plan(), row.note));
  }
}

TEST_CASE("plan: each missing feature of the host is reported") {
  struct Row {
    std::string_view name;
    std::vector<Feature> lacks;
    int abi;
    std::optional<SandboxLayers> layers;
    std::string_view note;
  };
  const Row kRows[] = {
      {"Landlock", {Feature::kLandlock}, 0, {}, "Landlock is missing"},
      {"a supervisor", {Feature::kSupervisor}, 7, {}, "there is no supervisor"},
      {"a /proc of its own", {Feature::kProc}, 7, {}, "/proc"},
      {"namespaces", {}, 7, SandboxLayers::kLandlock, "layers landlock"},
      {"moves in Landlock", {}, 1, {}, "Landlock ABI 2"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    PlanWorld world;
    world.facts.lacks = row.lacks;
    world.facts.landlock_abi = row.abi;
    world.command.layers = row.layers;
    const SandboxPlan plan = world.Plan();
    CHECK(plan.weaker.size() == 1);
    CHECK(Notes(plan, row.note));
    CHECK(plan.supervised == world.facts.has(Feature::kSupervisor));
    CHECK(plan.own_proc == world.facts.has(Feature::kProc));
  }
}

TEST_CASE("plan: the features that a sandbox can do without depend on the others") {
  using enum Feature;
  struct Row {
    std::string_view name;
    SandboxLayers layers;
    std::vector<Feature> lacks;
    int abi;
    std::vector<Feature> dispensable;
  };
  const Row kRows[] = {
      {"all of it",
       SandboxLayers::kFull,
       {},
       7,
       {kNamespaces, kProc, kLandlock, kSupervisor, kDelegation}},
      {"without Landlock the namespaces are all there is",
       SandboxLayers::kFull,
       {kLandlock},
       0,
       {kLandlock, kSupervisor, kDelegation}},
      {"without a supervisor",
       SandboxLayers::kFull,
       {kSupervisor},
       7,
       {kLandlock, kSupervisor, kDelegation}},
      {"the host's processes are seen",
       SandboxLayers::kFull,
       {kProc},
       7,
       {kNamespaces, kProc, kDelegation}},
      {"Landlock is all there is",
       SandboxLayers::kLandlock,
       {},
       7,
       {kNamespaces, kProc, kDelegation}},
      {"nothing is left", SandboxLayers::kLandlock, {kLandlock}, 0, {kDelegation}},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    PlanWorld world;
    world.command.layers = row.layers;
    world.facts.lacks = row.lacks;
    world.facts.landlock_abi = row.abi;
    const SandboxPlan plan = world.Plan();
    for (const Feature feature : {kNamespaces, kProc, kLandlock, kSupervisor, kDelegation}) {
      CAPTURE(static_cast<int>(feature));
      const bool is_listed = std::ranges::find(row.dispensable, feature) != row.dispensable.end();
      CHECK(plan.can_do_without(feature) == is_listed);
    }
  }
}

TEST_CASE("plan: signals are supervised if neither namespaces nor Landlock confine them") {
  struct Row {
    SandboxLayers layers;
    bool own_proc;
    int abi;
    bool want;
  };
  constexpr Row kRows[] = {
      {SandboxLayers::kFull, true, 2, false},     {SandboxLayers::kFull, false, 2, true},
      {SandboxLayers::kFull, false, 6, false},    {SandboxLayers::kLandlock, true, 1, true},
      {SandboxLayers::kLandlock, true, 5, true},  {SandboxLayers::kLandlock, true, 6, false},
      {SandboxLayers::kLandlock, true, 7, false},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.abi);
    PlanWorld world;
    world.command.layers = row.layers;
    if (!row.own_proc) world.facts.lacks = {Feature::kProc};
    world.facts.landlock_abi = row.abi;
    CHECK(world.Plan().supervises_signals() == row.want);
    world.facts.is_inside = true;  // the outer supervisor supervises them
    CHECK_FALSE(world.Plan().supervises_signals());
  }
}

TEST_CASE("plan: macOS reports the limits that it does not support") {
  PlanWorld world;
  world.facts.system = HostSystem::kMacos;
  CHECK(world.Plan().unmet.empty());
  world.world.User(R"("sandbox":{"memory":"8G","processes":512,"cpus":2.5,"io":"200M"})");
  const SandboxPlan plan = world.Plan();
  CHECK(plan.unmet.size() == 4);
  for (const std::string_view limit : {"memory", "processes", "cpus", "io"}) {
    CAPTURE(limit);
    CHECK(Notes(plan, limit));
  }
  world.facts.system = HostSystem::kWindows;
  CHECK(world.Plan().unmet.empty());
}

TEST_CASE("plan: inside another sandbox, names define all that is writable") {
  PlanWorld world;
  world.world.User(R"("write":{"allow":["src"]})");
  world.world.files.Put("/home/dev/project/src/x", File());
  CHECK_FALSE(world.Refuses("/home/dev/project/other"));  // mounts make it read-only
  world.facts.is_inside = true;
  CHECK(world.Refuses("/home/dev/project/other"));
  CHECK(world.Refuses("/home/dev/.bashrc"));
  CHECK_FALSE(world.Refuses("/home/dev/project/src/x"));
  CHECK_FALSE(world.Refuses("/tmp/x"));
}

TEST_CASE("plan: without a supervisor, no directory is opened for a part of its names") {
  for (const char* allow : {R"(["docs","src/*.cc"])", R"(["docs","build"])", R"(["docs","a/b"])"}) {
    CAPTURE(allow);
    PlanWorld world;
    world.world.files.Put("/home/dev/project/docs/x", File());
    world.world.User(R"("write":{"allow":)" + std::string(allow) + "}");
    CHECK(world.Plan().narrower.empty());
    world.facts.lacks = {Feature::kSupervisor};
    CHECK(PlacesText(world.Plan().writable) == "/home/dev/project/docs");
    REQUIRE(world.Plan().narrower.size() == 1);
    CHECK(world.Plan().narrower.front().find("without a supervisor") != std::string::npos);
    CHECK(Notes(world.Plan(), "without a supervisor"));
  }
}

TEST_CASE("plan: a nested sandbox without its own supervisor is reported") {
  PlanWorld world;
  world.facts.is_inside = true;
  world.world.User(R"("write":{"allow":["src/*.cc"]})");
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/project/src");
  CHECK(Notes(world.Plan(), "the sandbox around this one has no supervisor"));
}

TEST_CASE("plan: without a home there is none") {
  PlanWorld world;
  world.world.NoHome();
  CHECK(world.WhyNot().where == "HOME");
  CHECK(world.WhyNot().hint.find("--home DIR") != std::string::npos);
  world.command.mode = SandboxMode::kRwx;
  CHECK(world.Try().has_value());
}

TEST_CASE("plan: the environment is planned for the layers and the private directory") {
  PlanWorld world;
  world.command.environment = {"PATH=/bin", "GITHUB_TOKEN=t", "ANTHROPIC_API_KEY=k"};
  std::vector<std::string> planned = world.Plan().environment;
  CHECK(EnvironmentValue(planned, "RINGFENCE_SANDBOX") == "full");
  CHECK(EnvironmentValue(planned, "XDG_RUNTIME_DIR") == "/run/user/1000");
  CHECK(EnvironmentValue(planned, "TMPDIR") == "/tmp");
  CHECK(EnvironmentValue(planned, "GITHUB_TOKEN").empty());
  CHECK(EnvironmentValue(planned, "ANTHROPIC_API_KEY").empty());
  world.command.is_agent = true;
  world.command.layers = SandboxLayers::kLandlock;
  world.world.User(R"("write":{"allow":[".","@tmp"]})");
  planned = world.Plan().environment;
  CHECK(EnvironmentValue(planned, "RINGFENCE_SANDBOX") == "landlock");
  CHECK(EnvironmentValue(planned, "TMPDIR").empty());
  CHECK(EnvironmentValue(planned, "ANTHROPIC_API_KEY") == "k");
}

TEST_CASE("plan: the policy's list of variables is used") {
  PlanWorld world;
  world.world.User(R"("sandbox":{"env":["DEPLOY_*"]})");
  world.command.environment = {"PATH=/bin", "DEPLOY_HOST=h"};
  const std::vector<std::string> planned = world.Plan().environment;
  CHECK(EnvironmentValue(planned, "DEPLOY_HOST") == "h");
  CHECK(EnvironmentValue(planned, "PATH").empty());
}

TEST_CASE("plan: a failing disk gives no plan") {
  class Broken final : public FileView {
   public:
    Result<FileFacts> Look(const Path&) const override { return Failure(); }
    Result<std::string> ReadLink(const Path&) const override { return Failure(); }
    Result<std::vector<DirectoryEntry>> List(const Path&, size_t) const override {
      return Failure();
    }

   private:
    static Error Failure() { return SystemError("lstat", EIO); }
  };
  const PlanWorld world;
  const Policy policy = MergePolicies(world.world.sources, "", world.world.places, {}).value();
  const Broken broken;
  const CachedFiles files(broken);
  const Result<SandboxPlan> plan =
      MakePlan({policy, world.world.places, files, world.command, world.facts});
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().code == EIO);
}

TEST_CASE("plan: a feature exists unless it was tried and is missing") {
  const HostFacts facts{.lacks = {Feature::kProc}};
  CHECK_FALSE(facts.has(Feature::kProc));
  CHECK(facts.has(Feature::kNamespaces));
  CHECK(HostFacts{}.has(Feature::kSupervisor));
}
