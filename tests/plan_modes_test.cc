// MakePlan(): modes, layers, and what the agent may write.
#include <doctest/doctest.h>

#include "tests/plan_world.h"

using namespace ringfence;

TEST_CASE("plan: in mode rx nothing is written but scratch files and the agent's state") {
  PlanWorld world;
  world.world.User(R"("sandbox":{"mode":"rx"},"write":{"allow":[".","@claude-scratch","/srv"]})");
  world.world.files.Put("/srv/x", File());
  world.world.files.Put("/home/dev/.claude/plans", Directory());
  CHECK(world.Plan().mode == SandboxMode::kRx);
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/.claude/plans");
  world.command.is_agent = true;
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/.claude");
}

TEST_CASE("plan: in mode rx a folder is not scratch because of its name") {
  PlanWorld world;
  world.world.User(
      R"("sandbox":{"mode":"rx"},"write":{"allow":["src/@agent-state","src/@claude-scratch"]})");
  CHECK(PlacesText(world.Plan().writable) == "");
}

TEST_CASE("plan: mode rwx confines nothing, wherever it starts, and says so") {
  PlanWorld world;
  world.command.mode = SandboxMode::kRwx;
  world.command.cwd = "/srv";
  world.command.environment = {"PATH=/bin", "GITHUB_TOKEN=t", "LD_PRELOAD=x"};
  const SandboxPlan plan = world.Plan();
  CHECK_FALSE(plan.is_confined());
  CHECK(plan.environment == world.command.environment);
  CHECK(plan.names.rules().empty());
  CHECK(plan.writable.empty());
  CHECK(Notes(plan, "nothing is confined"));
  CHECK(plan.programs == std::vector<std::string>{"/bin/make"});
}

TEST_CASE("plan: the caller's mode and layers stand before the policy's") {
  PlanWorld world;
  world.world.User(R"("sandbox":{"mode":"rwx","layers":"landlock","missing":"warn"})");
  CHECK(world.Plan().mode == SandboxMode::kRwx);
  CHECK(world.Plan().layers == SandboxLayers::kLandlock);
  CHECK(world.Plan().missing == SandboxMissing::kWarn);
  world.command.mode = SandboxMode::kRx;
  world.command.layers = SandboxLayers::kFull;
  CHECK(world.Plan().mode == SandboxMode::kRx);
  CHECK(world.Plan().layers == SandboxLayers::kFull);
}

TEST_CASE("plan: the agent's state is writable for the agent alone") {
  PlanWorld world;
  world.world.files.Put("/home/dev/.claude/todos/x", File());
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/project");
  world.command.is_agent = true;
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/.claude, /home/dev/project");
}

TEST_CASE("plan: the agent's state that does not exist is not made") {
  PlanWorld world;
  world.command.is_agent = true;
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/project");
}

TEST_CASE("plan: the agent's state does not hold its settings") {
  PlanWorld world;
  world.command.is_agent = true;
  world.world.files.Put("/home/dev/.claude/settings.json", File());
  const SandboxPlan plan = world.Plan();
  CHECK(PlacesText(plan.writable) == "/home/dev/.claude, /home/dev/project");
  CHECK(PlacesText(plan.sealed) == "/home/dev/.claude/settings.json (file)");
  for (const std::string_view name : {"settings.json", "settings.local.json", "commands/x.md",
                                      "agents/x.md", "skills/x/SKILL.md", "hooks/x", "plugins/x"}) {
    CAPTURE(name);
    CHECK(plan.names.Refuses("/home/dev/.claude/" + std::string(name)) != nullptr);
  }
  CHECK(plan.names.Refuses("/home/dev/.claude/todos/x") == nullptr);
}

TEST_CASE("plan: the agent may write its state where an allow list has patterns") {
  PlanWorld world;
  world.command.is_agent = true;
  world.world.files.Put("/home/dev/.claude/todos/x", File());
  world.world.User(R"("write":{"allow":["src/*.cc"]})");
  CHECK_FALSE(world.Refuses("/home/dev/.claude/todos/x"));
  world.command.is_agent = false;
  CHECK(world.Refuses("/home/dev/.claude/todos/x"));
}

TEST_CASE("plan: the state file of the agent in the home is a part of its state") {
  PlanWorld world;
  world.command.is_agent = true;
  world.world.files.Put("/home/dev/.claude.json", File());
  const SandboxPlan plan = world.Plan();
  CHECK(PlacesText(plan.writable) == "/home/dev/.claude.json (file), /home/dev/project");
  CHECK(plan.names.Refuses("/home/dev/.claude.json") == nullptr);
}

TEST_CASE("plan: the agent reads its own credentials, its commands do not") {
  PlanWorld world;
  world.world.files.Put("/home/dev/.claude/.credentials.json", File());
  CHECK(PlacesText(world.Plan().hidden) == "/home/dev/.claude/.credentials.json (file)");
  world.command.is_agent = true;
  CHECK(PlacesText(world.Plan().hidden) == "");
}

TEST_CASE("plan: the session's scratch folder of the host is seen in a private /tmp") {
  PlanWorld world;
  world.command.session = world.world.session;
  const std::string folder =
      "/tmp/claude-1000/-home-dev-project/" + world.world.session + "/scratchpad";
  world.world.files.Put("/tmp/claude-1000", Directory().Owner(1000).Mode(0700));
  world.world.files.Put(folder, Directory().Owner(1000));
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/project, " + folder);
  CHECK(world.Plan().private_tmp);
}

TEST_CASE("plan: a scratch folder that another user made is not the session's") {
  PlanWorld world;
  world.command.session = world.world.session;
  const std::string folder =
      "/tmp/claude-1000/-home-dev-project/" + world.world.session + "/scratchpad";
  world.world.files.Put("/tmp/claude-1000", Directory().Owner(1001).Mode(0777));
  world.world.files.Put(folder, Directory().Owner(1000));
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/project");
}

TEST_CASE("plan: a session's name is no way out") {
  PlanWorld world;
  world.command.session = "../../../home/dev/other";
  world.world.files.Put("/home/dev/other/scratchpad", Directory().Owner(1000));
  world.world.files.Put("/tmp/claude-1000", Directory().Owner(1000).Mode(0700));
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/project");
}

TEST_CASE("plan: a directory that the caller asks for is writable in every mode") {
  PlanWorld world;
  world.world.files.Put("/srv/data", Directory());
  world.world.files.Put("/srv/link", LinkTo("data"));
  for (const std::string name : {"/srv/data", "/srv/link"}) {
    world.command.also_writable = name;
    CHECK(PlacesText(world.Plan().writable) == "/home/dev/project, /srv/data");
  }
  world.command.mode = SandboxMode::kRx;
  CHECK(PlacesText(world.Plan().writable) == "/srv/data");
}

TEST_CASE("plan: a directory that the caller asks for is whole where an allow list has patterns") {
  PlanWorld world;
  world.world.files.Put("/srv/data", Directory());
  world.world.User(R"("write":{"allow":["src/*.cc"]})");
  world.command.also_writable = "/srv/data";
  CHECK_FALSE(world.Refuses("/srv/data/x"));
  CHECK(world.Refuses("/home/dev/project/src/x.h"));
}

TEST_CASE("plan: a directory that the caller asks for gives nothing that is denied") {
  PlanWorld world;
  world.world.files.Put("/srv/data/private", Directory());
  world.world.User(R"("write":{"deny":["/srv/data/private"]})");
  world.command.also_writable = "/srv/data";
  CHECK(world.Refuses("/srv/data/private/x"));
  world.command.also_writable = "/srv/data/private";
  CHECK(world.WhyNot().what.find("denied by \"/srv/data/private\"") != std::string::npos);
  world.command.also_writable = "/home/dev/project/.git/hooks";
  world.world.files.Put("/home/dev/project/.git/hooks", Directory());
  CHECK(world.WhyNot().where == "--write");
}

TEST_CASE("plan: what the caller asks for to be writable is a directory with its whole name") {
  PlanWorld world;
  world.world.files.Put("/srv/file", File());
  for (const std::string name : {"/srv/file", "/srv/missing", "data", "."}) {
    CAPTURE(name);
    world.command.also_writable = name;
    CHECK(world.WhyNot().where == "--write");
  }
}
