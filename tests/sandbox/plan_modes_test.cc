// MakePlan(): modes, layers, and paths that the agent may write.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

bool IsState(const PlannedPlace& place) { return place.set == SetName::kAgentState; }

// The agent's writable paths, except its state.
std::string OtherPlaces(SandboxPlan plan) {
  std::erase_if(plan.writable, IsState);
  return PlacesText(plan.writable);
}

const PlannedPlace* PlaceAt(const SandboxPlan& plan, std::string_view path) {
  const auto found = std::ranges::find(plan.writable, Path::Clean(path), &PlannedPlace::path);
  return found == plan.writable.end() ? nullptr : &*found;
}

bool Saves(const SandboxPlan& plan, std::string_view path) {
  return std::ranges::find(plan.saved, Path::Clean(path), &SavedFile::path) != plan.saved.end();
}

}  // namespace

TEST_CASE("plan: in mode rx only scratch files and the agent's state are writable") {
  PlanWorld world;
  world.world.User(R"("sandbox":{"mode":"rx"},"write":{"allow":[".","@claude-scratch","/srv"]})");
  world.world.files.Put("/srv/x", File());
  world.world.files.Put("/home/dev/.claude/plans", Directory());
  CHECK(world.Plan().mode == SandboxMode::kRx);
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/.claude/plans");
  world.command.is_agent = true;
  CHECK(OtherPlaces(world.Plan()) == "/home/dev/.claude/plans");
  CHECK(PlaceAt(world.Plan(), "/home/dev/.claude/todos") != nullptr);
}

TEST_CASE("plan: in mode rx a directory is not scratch because of its name") {
  PlanWorld world;
  world.world.User(
      R"("sandbox":{"mode":"rx"},"write":{"allow":["src/@agent-state","src/@claude-scratch"]})");
  CHECK(PlacesText(world.Plan().writable) == "");
}

TEST_CASE("plan: mode rwx confines nothing, wherever it starts, and a note says so") {
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

TEST_CASE("plan: the caller's mode and layers override the policy's") {
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

TEST_CASE("plan: the agent's state is writable for the agent only") {
  PlanWorld world;
  world.world.files.Put("/home/dev/.claude/todos/x", File());
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/project");
  world.command.is_agent = true;
  const SandboxPlan plan = world.Plan();
  CHECK(OtherPlaces(plan) == "/home/dev/project");
  REQUIRE(PlaceAt(plan, "/home/dev/.claude/todos") != nullptr);
  CHECK_FALSE(PlaceAt(plan, "/home/dev/.claude/todos")->make);
}

TEST_CASE("plan: missing state of the agent is created, if there is a home") {
  PlanWorld world;
  world.command.is_agent = true;
  const SandboxPlan plan = world.Plan();
  CHECK(OtherPlaces(plan) == "/home/dev/project");
  for (const PlannedPlace& place : plan.writable) CHECK(place.make == IsState(place));
  CHECK(PlaceAt(plan, "/home/dev/.claude/projects/-home-dev-project") != nullptr);
  world.world.places.homes_real = {Path::Clean("/home/none")};
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/project");
  CHECK(world.Plan().saved.empty());
}

TEST_CASE("plan: other sessions' shells do not read this session's snapshots") {
  PlanWorld world;
  world.command.is_agent = true;
  for (const PlannedPlace& place : world.Plan().writable) {
    CAPTURE(place.path.text());
    const bool is_run =
        place.path.name() == "shell-snapshots" || place.path.name() == "session-env";
    CHECK(place.is_own() == is_run);
  }
}

TEST_CASE("plan: the client's instructions, settings and programs are not its state") {
  PlanWorld world;
  world.command.is_agent = true;
  for (const std::string_view name :
       {"CLAUDE.md", "rules/x.md", "output-styles/x.md", "keybindings.json", "local/claude",
        "statusline.sh", "scripts/x", "settings.json", "settings.local.json", "commands/x.md",
        "agents/x.md", "skills/x/SKILL.md", "hooks/x", "plugins/x", "teams/t/inboxes/x.json",
        "jobs/x", "daemon.json", "remote-settings.json", "ide/1.lock"}) {
    CAPTURE(name);
    world.world.files.Put("/home/dev/.claude/" + std::string(name), File());
    const Path path = Path::Clean("/home/dev/.claude/" + std::string(name));
    const SandboxPlan plan = world.Plan();
    for (const PlannedPlace& place : plan.writable) CHECK_FALSE(path.IsInside(place.path));
    CHECK_FALSE(Saves(plan, path.text()));
  }
}

TEST_CASE("plan: this project's transcripts, even new ones, are kept among the hidden ones") {
  PlanWorld world;
  world.command.is_agent = true;
  const std::string_view want =
      "/home/dev/.claude/projects but /home/dev/.claude/projects/-home-dev-project";
  CHECK(PlacesText(world.Plan().hidden) == want);
  world.world.files.Put("/home/dev/.claude/projects/-home-dev-other/a.jsonl", File());
  CHECK(PlacesText(world.Plan().hidden) == want);
  const GuardedNames names = world.Plan().names;
  CHECK(names.Refuses("/home/dev/.claude/projects/-home-dev-project/a.jsonl") == nullptr);
  CHECK(names.Refuses("/home/dev/.claude/projects/-home-dev-other/a.jsonl") != nullptr);
}

TEST_CASE("plan: the agent may write its state if an allow list has patterns") {
  PlanWorld world;
  world.command.is_agent = true;
  world.world.files.Put("/home/dev/.claude/todos/x", File());
  world.world.User(R"("write":{"allow":["src/*.cc"]})");
  CHECK_FALSE(world.Refuses("/home/dev/.claude/todos/x"));
  world.command.is_agent = false;
  CHECK(world.Refuses("/home/dev/.claude/todos/x"));
}

TEST_CASE("plan: the state file in the home is saved there, and the home stays read-only") {
  PlanWorld world;
  world.command.is_agent = true;
  for (const bool is_there : {false, true}) {
    if (is_there) world.world.files.Put("/home/dev/.claude.json", File());
    const SandboxPlan plan = world.Plan();
    CHECK(Saves(plan, "/home/dev/.claude.json"));
    CHECK(plan.names.Refuses("/home/dev/.claude.json") == nullptr);
    for (const PlannedPlace& place : plan.writable) {
      CHECK_FALSE(Path::Clean("/home/dev/.claude.json").IsInside(place.path));
    }
  }
  world.command.is_agent = false;
  CHECK(world.Plan().saved.empty());
}

TEST_CASE(
    "plan: only the state file is writable if there is no supervisor to save it, or if it is a "
    "link") {
  PlanWorld world;
  world.command.is_agent = true;
  world.world.files.Put("/home/dev/dotfiles/c.json", File());
  world.world.files.Put("/home/dev/.claude.json", LinkTo("dotfiles/c.json"));
  CHECK_FALSE(Saves(world.Plan(), "/home/dev/.claude.json"));
  CHECK(PlaceAt(world.Plan(), "/home/dev/dotfiles/c.json") != nullptr);
  world.world.files.Put("/home/dev/.claude.json", File());
  world.command.layers = SandboxLayers::kLandlock;
  CHECK(world.Plan().saved.empty());
  CHECK(PlaceAt(world.Plan(), "/home/dev/.claude.json") != nullptr);
}

TEST_CASE(
    "plan: the agent saves its file despite an allow list with patterns, and nothing beside it") {
  PlanWorld world;
  world.command.is_agent = true;
  world.world.User(R"("write":{"allow":["src/*.cc"]})");
  CHECK_FALSE(world.Refuses("/home/dev/.claude.json"));
  CHECK_FALSE(world.Refuses("/home/dev/.claude.json.lock"));
  CHECK(world.Refuses("/home/dev/.claude.jsonx"));
  CHECK(world.Refuses("/home/dev/.bashrc"));
}

TEST_CASE("plan: the agent reads its own credentials, its commands do not") {
  PlanWorld world;
  world.world.files.Put("/home/dev/.claude/.credentials.json", File());
  CHECK(PlacesText(world.Plan().hidden) == "/home/dev/.claude/.credentials.json (file)");
  world.command.is_agent = true;
  CHECK(PlacesText(world.Plan().hidden) ==
        "/home/dev/.claude/projects but /home/dev/.claude/projects/-home-dev-project");
  for (const std::string_view name : {".credentials.json", "history.jsonl"}) {
    const std::string path = "/home/dev/.claude/" + std::string(name);
    CHECK(Saves(world.Plan(), path));
    CHECK_FALSE(world.Refuses(path));
  }
}

TEST_CASE("plan: a home below a private directory is readable if everything is") {
  PlanWorld world;
  world.world.files.Put("/tmp/h/.ssh/id", File());
  world.world.places.homes_real = {Path::Clean("/tmp/h")};
  world.world.places.homes = {Path::Clean("/tmp/h")};
  CHECK(PlacesText(world.Plan().readable) == "/tmp/h");
  CHECK(PlacesText(world.Plan().hidden) == "/tmp/h/.ssh");
  world.world.User(R"("sandbox":{"reads":"listed"},"read":{"allow":["."]})");
  CHECK(PlacesText(world.Plan().readable).find("/tmp/h") == std::string::npos);
}

TEST_CASE("plan: the session's scratch directory of the host is visible in a private /tmp") {
  PlanWorld world;
  world.command.session = world.world.session;
  const std::string folder =
      "/tmp/claude-1000/-home-dev-project/" + world.world.session + "/scratchpad";
  world.world.files.Put("/tmp/claude-1000", Directory().Owner(1000).Mode(0700));
  world.world.files.Put(folder, Directory().Owner(1000));
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/project, " + folder);
  CHECK(world.Plan().private_tmp);
}

TEST_CASE("plan: a scratch directory that another user created is not the session's") {
  PlanWorld world;
  world.command.session = world.world.session;
  const std::string folder =
      "/tmp/claude-1000/-home-dev-project/" + world.world.session + "/scratchpad";
  world.world.files.Put("/tmp/claude-1000", Directory().Owner(1001).Mode(0777));
  world.world.files.Put(folder, Directory().Owner(1000));
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/project");
}

TEST_CASE("plan: a session's name cannot lead out") {
  PlanWorld world;
  world.command.session = "../../../home/dev/other";
  world.world.files.Put("/home/dev/other/scratchpad", Directory().Owner(1000));
  world.world.files.Put("/tmp/claude-1000", Directory().Owner(1000).Mode(0700));
  CHECK(PlacesText(world.Plan().writable) == "/home/dev/project");
}

TEST_CASE("plan: a directory requested by the caller is writable in every mode") {
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

TEST_CASE("plan: a directory requested by the caller is open as a whole despite patterns") {
  PlanWorld world;
  world.world.files.Put("/srv/data", Directory());
  world.world.User(R"("write":{"allow":["src/*.cc"]})");
  world.command.also_writable = "/srv/data";
  CHECK_FALSE(world.Refuses("/srv/data/x"));
  CHECK(world.Refuses("/home/dev/project/src/x.h"));
}

TEST_CASE("plan: a directory requested by the caller opens nothing that is denied") {
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

TEST_CASE("plan: the caller's writable path must be an absolute path of a directory") {
  PlanWorld world;
  world.world.files.Put("/srv/file", File());
  for (const std::string name : {"/srv/file", "/srv/missing", "data", "."}) {
    CAPTURE(name);
    world.command.also_writable = name;
    CHECK(world.WhyNot().where == "--write");
  }
}
