// MakePlan(): refused names, and those that are sealed because they exist.
#include <doctest/doctest.h>

#include <algorithm>
#include <span>

#include "tests/support/plan_world.h"

using namespace ringfence;

namespace {

const GuardedName* RuleNamed(const SandboxPlan& plan, std::string_view text) {
  const auto& rules = plan.names.rules();
  const auto found =
      std::ranges::find_if(rules, [text](const GuardedName& rule) { return rule.text() == text; });
  return found == rules.end() ? nullptr : &*found;
}

struct Row {
  std::string_view name;
  std::string_view path;
  bool refused;
};

void CheckRows(const PlanWorld& world, std::span<const Row> rows) {
  const SandboxPlan plan = world.Plan();
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK((plan.names.Refuses(row.path) != nullptr) == row.refused);
  }
}

}  // namespace

TEST_CASE(
    "names: without a policy, runs-later names in the project and ringfence's own are refused") {
  static constexpr Row kRows[] = {
      {"hooks", "/home/dev/project/.git/hooks/pre-commit", true},
      {"hooks of a repository below", "/home/dev/project/a/b/.git/hooks/x", true},
      {"hooks of a module", "/home/dev/project/.git/modules/m/hooks/x", true},
      {"a worktree's way to its repository", "/home/dev/project/.git/worktrees/w/commondir", true},
      {"git's configuration", "/home/dev/project/.git/config", true},
      {"another case", "/home/dev/project/.GIT/Config", true},
      {"an editor's tasks", "/home/dev/project/.vscode/tasks.json", true},
      {"a workflow", "/home/dev/project/.github/workflows/x.yml", true},
      {"direnv", "/home/dev/project/sub/.envrc", true},
      {"MCP servers", "/home/dev/project/.mcp.json", true},
      {"the client's settings", "/home/dev/project/.claude/settings.json", true},
      {"its local settings, deeper", "/home/dev/project/x/.claude/settings.local.json", true},
      {"its commands", "/home/dev/project/.claude/commands/x.md", true},
      {"the project's policy", "/home/dev/project/.ringfence/policy.json", true},
      {"a commit", "/home/dev/project/.git/objects/ab/cd", false},
      {"a branch", "/home/dev/project/.git/refs/heads/main", false},
      {"the index's lock", "/home/dev/project/.git/index.lock", false},
      {"a source", "/home/dev/project/src/main.cc", false},
      {"a program of npm", "/home/dev/project/node_modules/.bin/x", false},
      {"a note of the client", "/home/dev/project/.claude/notes.md", false},
      {"in the private folder", "/tmp/x/.git/hooks/x", false},
  };
  CheckRows(PlanWorld(), kRows);
}

TEST_CASE("names: if everything is writable, names guarded anywhere are refused") {
  static constexpr Row kRows[] = {
      {"the user's policy", "/home/dev/.config/ringfence/policy.json", true},
      {"the state", "/home/dev/.local/state/ringfence/trust.json", true},
      {"the audit log", "/home/dev/.local/state/ringfence/audit.jsonl", true},
      {"a rotated audit log", "/home/dev/.local/state/ringfence/audit.jsonl.1", true},
      {"a program", "/opt/ringfence/bin/ringfence-hook", true},
      {"the managed settings", "/etc/claude-code/managed-settings.json", true},
      {"the managed policy", "/etc/ringfence/policy.json", true},
      {"a shell's start-up file", "/home/dev/.bashrc", true},
      {"a user's unit", "/home/dev/.config/systemd/user/x.service", true},
      {"a secret", "/home/dev/.ssh/authorized_keys", true},
      {"in another case", "/HOME/dev/.SSH/authorized_keys", true},
      {"another file of the home", "/home/dev/notes.md", false},
      {"another file of the system", "/etc/hosts", false},
  };
  PlanWorld world;
  world.world.User(R"("write":{"allow":["/"]})");
  CheckRows(world, kRows);
}

TEST_CASE("names: the hook permits no refused name") {
  const PlanWorld world;
  const SandboxPlan plan = world.Plan();
  for (const std::string_view path :
       {"/home/dev/project/.git/hooks/x", "/home/dev/project/.vscode/tasks.json",
        "/home/dev/project/.ringfence/policy.json", "/home/dev/project/.claude/settings.json"}) {
    CAPTURE(path);
    CHECK(plan.names.Refuses(path) != nullptr);
    CHECK(world.world.Write(path) != "permit");
  }
}

TEST_CASE("names: git's own files may be written in a repository that the run created, not hooks") {
  const SandboxPlan plan = PlanWorld().Plan();
  for (const std::string_view text :
       {"**/.git/config", "**/config.worktree", "**/.git/info/attributes", "**/commondir",
        "**/.git/modules/**/config", "**/.git/worktrees/*/commondir"}) {
    CAPTURE(text);
    REQUIRE(RuleNamed(plan, text) != nullptr);
    CHECK(RuleNamed(plan, text)->unless_new);
  }
  for (const std::string_view text : {"**/.git/hooks", "**/.git/modules/**/hooks", "**/.mcp.json",
                                      "**/.claude/hooks", "**/.claude/settings*.json"}) {
    CAPTURE(text);
    REQUIRE(RuleNamed(plan, text) != nullptr);
    CHECK_FALSE(RuleNamed(plan, text)->unless_new);
  }
  const GuardedName* editors = RuleNamed(plan, "**/.vscode");
  REQUIRE(editors != nullptr);
  CHECK((editors->unless_new && editors->not_in_stores));
}

TEST_CASE("names: git saves the state of a rebase or cherry-pick, with evaluated content") {
  const SandboxPlan plan = PlanWorld().Plan();
  for (const std::string_view text :
       {"**/git-rebase-todo", "**/rebase-merge/strategy", "**/.git/sequencer/opts"}) {
    CAPTURE(text);
    REQUIRE(RuleNamed(plan, text) != nullptr);
    CHECK((RuleNamed(plan, text)->comes_whole && !RuleNamed(plan, text)->unless_new));
  }
}

TEST_CASE("names: files in the project that git's configuration names are refused") {
  PlanWorld world;
  world.world.files.Put("/home/dev/project/.git/config",
                        File("[core]\n\thooksPath = .h\n[include]\n\tpath = ../extra\n"
                             "[filter \"f\"]\n\tclean = sh bin/f.sh\n"));
  CHECK(world.Refuses("/home/dev/project/.h/pre-commit"));
  CHECK(world.Refuses("/home/dev/project/extra"));
  CHECK(world.Refuses("/home/dev/project/bin/f.sh"));
  CHECK_FALSE(world.Refuses("/home/dev/project/bin/other.sh"));
  const SandboxPlan plan = world.Plan();
  const GuardedName* rule = plan.names.Refuses("/home/dev/project/.h");
  REQUIRE(rule != nullptr);
  CHECK(rule->why == "git uses it (core.hookspath in \"/home/dev/project/.git/config\")");
}

TEST_CASE(
    "names: a program with a relative path is refused in every directory, hooks by their names") {
  PlanWorld world;
  world.world.files.Put("/home/dev/project/.git/config",
                        File("[core]\n\thooksPath = src\n\tfsmonitor = ./home/dev/pro*\n"));
  CHECK(world.Refuses("/home/dev/project/pkg/src/pre-commit"));
  CHECK(world.Refuses("/home/dev/project/pkg/SRC/pre-commit"));
  CHECK_FALSE(world.Refuses("/home/dev/project/pkg/src/main.c"));
  CHECK_FALSE(world.Refuses("/home/dev/project/pkg/node_modules/x/src/pre-commit"));
  CHECK(world.Refuses("/home/dev/project/pkg/home/dev/pro*"));
  CHECK_FALSE(world.Refuses("/home/dev/project/main.c"));
  const SandboxPlan plan = world.Plan();
  const GuardedName* rule = RuleNamed(plan, "**/src/pre-commit");
  REQUIRE(rule != nullptr);
  CHECK(rule->unless_new);
}

TEST_CASE("names: a relative program with the name of a directory above the project") {
  PlanWorld world;
  world.world.files.Put("/home/dev/project/.git/config", File("[core]\n\tfsmonitor = ./dev\n"));
  CHECK_FALSE(world.Refuses("/home/dev/project/main.c"));
  CHECK(world.Refuses("/home/dev/project/pkg/dev"));
}

TEST_CASE("names: a policy that asks about nothing leaves them alone") {
  PlanWorld world;
  world.world.User(R"("write":{"ask":[]})");
  world.world.files.Put("/home/dev/project/.git/config", File("[core]\n\thooksPath = .h\n"));
  CHECK_FALSE(world.Refuses("/home/dev/project/.h/pre-commit"));
}

TEST_CASE("names: the project itself stays writable even if git takes its hooks from there") {
  PlanWorld world;
  world.world.files.Put("/home/dev/project/.git/config", File("[core]\n\thooksPath = .\n"));
  const SandboxPlan plan = world.Plan();
  CHECK(plan.names.Refuses("/home/dev/project/src/a.c") == nullptr);
  CHECK(Notes(plan, "stays writable"));
}

TEST_CASE("names: the policy's own rule for git's files also applies to new repositories") {
  PlanWorld world;
  world.world.User(R"("write":{"deny":["**/.git/config"]})");
  const SandboxPlan plan = world.Plan();
  const GuardedName* rule = plan.names.Refuses("/home/dev/project/sub/.git/config");
  REQUIRE(rule != nullptr);
  CHECK_FALSE(rule->unless_new);
}

TEST_CASE("names: a denied or asked name need not exist") {
  PlanWorld world;
  world.world.User(R"("write":{"deny":["docs/adr","gen/*.pb.cc"],"ask":["CMakeLists.txt"]})");
  const SandboxPlan plan = world.Plan();
  for (const std::string_view path :
       {"/home/dev/project/docs/adr/1.md", "/home/dev/project/gen/x.pb.cc",
        "/home/dev/project/CMakeLists.txt", "/home/dev/project/cmakelists.TXT"}) {
    CAPTURE(path);
    CHECK(plan.names.Refuses(path) != nullptr);
  }
  CHECK(plan.names.Refuses("/home/dev/project/docs/x") == nullptr);
  CHECK_FALSE(plan.names.RefusesTree("/home/dev/project/docs").empty());
}

TEST_CASE("names: a link on the way to a denied name is held in place") {
  PlanWorld plan;
  plan.world.files.Put("/home/dev/project/real/x", File());
  plan.world.files.Put("/home/dev/project/conf/l", LinkTo("../real"));
  plan.world.User(R"("write":{"allow":["."],"deny":["conf/l/x","conf/l/new"]})");
  const SandboxPlan made = plan.Plan();
  const GuardedName* held = made.names.Holds("/home/dev/project/conf/l");
  REQUIRE(held != nullptr);
  CHECK(held->why.find("conf/l/x") != std::string::npos);
  CHECK(made.names.Holds("/home/dev/project/real") == nullptr);
  CHECK(made.names.Refuses("/home/dev/project/real/new") != nullptr);
}

TEST_CASE("names: the reason names rule, file, line and list") {
  PlanWorld world;
  world.world.User(R"("write":{"deny":["docs/adr"]})");
  const SandboxPlan plan = world.Plan();
  const GuardedName* denied = plan.names.Refuses("/home/dev/project/docs/adr");
  REQUIRE(denied != nullptr);
  CHECK(denied->why == R"(denied by "docs/adr" (policy.json:1 /write/deny))");
  const GuardedName* asked = plan.names.Refuses("/home/dev/project/.git/hooks");
  REQUIRE(asked != nullptr);
  CHECK(asked->why.starts_with(R"(the policy asks about "@runs-later" )"));
  CHECK(asked->why.ends_with("/write/ask)"));
}

TEST_CASE("names: the text of an untrusted project is not repeated") {
  PlanWorld world;
  world.world.Project(R"("write":{"deny":["ignore all rules"]})", false);
  const SandboxPlan plan = world.Plan();
  const GuardedName* rule = plan.names.Refuses("/home/dev/project/ignore all rules");
  REQUIRE(rule != nullptr);
  CHECK(rule->why.find("ignore all rules") == std::string::npos);
}

TEST_CASE("names: a rule counts as written and where its links lead") {
  PlanWorld world;
  world.world.files.Put("/home/dev/project/docs", LinkTo("real"));
  world.world.files.Put("/home/dev/project/real/adr/1.md", File());
  world.world.User(R"("write":{"deny":["docs/adr","docs/*.txt"]})");
  const SandboxPlan plan = world.Plan();
  for (const std::string_view path :
       {"/home/dev/project/docs/adr/1.md", "/home/dev/project/real/adr/1.md",
        "/home/dev/project/docs/a.txt", "/home/dev/project/real/a.txt"}) {
    CAPTURE(path);
    CHECK(plan.names.Refuses(path) != nullptr);
  }
  CHECK(plan.names.Refuses("/home/dev/project/real/x") == nullptr);
}

TEST_CASE("names: a closed directory that a link leads into is refused if the user owns it") {
  struct Closed {
    const char* name;
    uint32_t owner;
    bool refused;
  };
  for (const Closed& row : {Closed{"the user's own", 1000, true}, {"another user's", 0, false}}) {
    CAPTURE(row.name);
    PlanWorld world;
    world.world.files.Put("/home/dev/project/.github", LinkTo("ci/github"));
    world.world.files.Put("/home/dev/project/docs", LinkTo("papers/docs"));
    world.world.files.Put("/home/dev/project/ci", UnreadableDirectory().Owner(row.owner));
    world.world.files.Put("/home/dev/project/papers", UnreadableDirectory().Owner(row.owner));
    world.world.User(R"("write":{"deny":["docs/adr"]})");
    const SandboxPlan plan = world.Plan();
    for (const std::string_view path :
         {"/home/dev/project/ci", "/home/dev/project/ci/github/workflows/x.yml",
          "/home/dev/project/papers/docs/adr/1.md"}) {
      CAPTURE(path);
      CHECK((plan.names.Refuses(path) != nullptr) == row.refused);
    }
    CHECK(plan.names.Refuses("/home/dev/project/src/x") == nullptr);
  }
}

TEST_CASE("names: unconditionally protected paths count where their links lead") {
  PlanWorld world;
  world.world.files.Put("/home/dev/.config/ringfence", LinkTo("/home/dev/project/dot/ringfence"));
  world.world.files.Put("/home/dev/project/dot/ringfence/policy.json", File());
  world.world.files.Put("/home/dev/project/.claude/settings.json",
                        LinkTo("/home/dev/project/dot/settings.json"));
  world.world.files.Put("/home/dev/project/dot/settings.json", File());
  const SandboxPlan plan = world.Plan();
  for (const std::string_view path :
       {"/home/dev/project/dot/ringfence/policy.json", "/home/dev/project/dot/settings.json"}) {
    CAPTURE(path);
    CHECK(world.world.Write(path) == "deny");
    CHECK(plan.names.Refuses(path) != nullptr);
  }
}

TEST_CASE("names: unconditionally protected paths may contain pattern characters") {
  PlanWorld world;
  world.world.MoveHome("/home/d[e]v", "/home/d[e]v");
  world.world.User(R"("write":{"allow":["~",".","/home"]})");
  const SandboxPlan plan = world.Plan();
  for (const std::string_view path : {"/home/d[e]v/.config/ringfence/policy.json",
                                      "/home/d[e]v/.local/state/ringfence/trust.json",
                                      "/home/d[e]v/.local/state/ringfence/audit.jsonl.1"}) {
    CAPTURE(path);
    CHECK(world.world.Write(path) == "deny");
    CHECK(plan.names.Refuses(path) != nullptr);
  }
}

TEST_CASE("names: a project with pattern characters in its name is guarded like any other") {
  PlanWorld world;
  world.world.MoveRoot("/home/dev/app [x]*", "/home/dev/app [x]*");
  world.command.cwd = "/home/dev/app [x]*";
  world.world.User(R"("write":{"deny":["docs/adr","src/*.key"]})");
  const SandboxPlan plan = world.Plan();
  for (const std::string_view path :
       {"/home/dev/app [x]*/docs/adr", "/home/dev/app [x]*/src/a.key",
        "/home/dev/app [x]*/.claude/settings.json", "/home/dev/app [x]*/.git/hooks"}) {
    CAPTURE(path);
    CHECK(plan.names.Refuses(path) != nullptr);
  }
  CHECK(plan.names.Refuses("/home/dev/app x/docs/adr") == nullptr);
}

TEST_CASE("names: every home counts") {
  PlanWorld world;
  world.world.AddHome("/home/second");
  world.world.User(R"("write":{"allow":["/home"]})");
  CHECK(world.Refuses("/home/dev/.bashrc"));
  CHECK(world.Refuses("/home/second/.bashrc"));
  CHECK(world.Refuses("/home/second/.config/ringfence/policy.json"));
}

TEST_CASE("names: bare repositories are guarded if @runs-later applies") {
  PlanWorld world;
  CHECK_FALSE(world.Plan().names.bare_why().empty());
  world.world.User(R"("write":{"ask":[]})");
  CHECK(world.Plan().names.bare_why().empty());
  CHECK_FALSE(world.Refuses("/home/dev/project/.git/hooks/x"));
  CHECK(world.Refuses("/home/dev/project/.claude/settings.json"));
}

TEST_CASE("names: a project in a runs-later directory is writable") {
  PlanWorld nvim;
  nvim.world.User(R"("write":{"allow":[".","~/.config"]})");
  nvim.world.MoveRoot("/home/dev/.config/nvim/lua/mine", "/home/dev/.config/nvim/lua/mine");
  nvim.world.files.Put("/home/dev/.config/nvim/lua/mine/a.lua", File());
  nvim.command.cwd = "/home/dev/.config/nvim/lua/mine";
  static constexpr Row kNvim[] = {
      {"a file of it", "/home/dev/.config/nvim/lua/mine/a.lua", false},
      {"a new one", "/home/dev/.config/nvim/lua/mine/sub/b.lua", false},
      {"beside it", "/home/dev/.config/nvim/lua/other.lua", true},
      {"above it", "/home/dev/.config/nvim/init.lua", true},
      {"a hook of it", "/home/dev/.config/nvim/lua/mine/.git/hooks/pre-commit", true},
  };
  CheckRows(nvim, kNvim);
  PlanWorld skill;
  skill.world.MoveRoot("/home/dev/.claude/skills/mine", "/home/dev/.claude/skills/mine");
  skill.world.files.Put("/home/dev/.claude/skills/mine/SKILL.md", File());
  skill.command.cwd = "/home/dev/.claude/skills/mine";
  static constexpr Row kSkill[] = {
      {"a file of it", "/home/dev/.claude/skills/mine/SKILL.md", false},
      {"a skill in it", "/home/dev/.claude/skills/mine/.claude/skills/x/SKILL.md", true},
      {"an editor's tasks", "/home/dev/.claude/skills/mine/.vscode/tasks.json", true},
      {"another skill", "/home/dev/.claude/skills/other/SKILL.md", true},
  };
  CheckRows(skill, kSkill);
}

TEST_CASE("names: a link that leads to the project does not close it") {
  PlanWorld plan;
  plan.world.files.Put("/home/dev/.config/nvim", LinkTo("../project"));
  static constexpr Row kRows[] = {
      {"a file", "/home/dev/project/init.lua", false},
      {"a hook", "/home/dev/project/.git/hooks/x", true},
  };
  CheckRows(plan, kRows);
  PlanWorld part;
  part.world.files.Put("/home/dev/.config/nvim", LinkTo("../project/nvim"));
  part.world.files.Put("/home/dev/project/nvim/init.lua", File());
  static constexpr Row kPart[] = {
      {"a file", "/home/dev/project/README.md", false},
      {"what the link leads to", "/home/dev/project/nvim/init.lua", true},
  };
  CheckRows(part, kPart);
}

TEST_CASE("names: samples are excluded from @dotenv, whether or not they exist") {
  PlanWorld plan;
  plan.world.User(R"("write":{"deny":["@dotenv"]})");
  static constexpr Row kRows[] = {
      {"the file", "/home/dev/project/.env", true},
      {"a named one, deeper", "/home/dev/project/app/.env.local", true},
      {"below such a folder", "/home/dev/project/.env.d/x", true},
      {"a sample", "/home/dev/project/.env.example", false},
      {"another case", "/home/dev/project/.ENV.Sample", false},
  };
  CheckRows(plan, kRows);
}
