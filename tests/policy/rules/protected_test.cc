// Writes that no policy can permit: to ringfence's own files under any name. Every policy here
// allows everything.
#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

namespace {

constexpr std::string_view kEverything =
    R"("read":{"allow":["/"],"deny":[]},"write":{"allow":["/"],"deny":[],"ask":[]},
       "tools":{"allow":["*"]})";

class Open : public World {
 public:
  Open() { User(kEverything); }
};

void CheckWrites(const World& world, std::initializer_list<std::string_view> paths,
                 std::string_view want) {
  for (const std::string_view path : paths) {
    CAPTURE(path);
    CHECK(world.Write(path) == want);
  }
}

}  // namespace

TEST_CASE("protected: by the plain name, whether or not the file exists") {
  const Open world;
  CheckWrites(world,
              {"/etc/ringfence/policy.json",
               "~/.config/ringfence/policy.json",
               ".ringfence/policy.json",
               "~/.claude/settings.json",
               "~/.claude/settings.local.json",
               "~/.claude/plugins/known_marketplaces.json",
               "~/.claude/plugins/installed_plugins.json",
               ".claude/settings.json",
               ".claude/settings.local.json",
               "sub/.claude/settings.json",
               ".claude/worktrees/a/.claude/settings.json",
               "/etc/claude-code/managed-settings.json",
               "/etc/claude-code/managed-settings.d/10-x.json",
               "/opt/ringfence/bin/ringfence-hook",
               "/opt/ringfence/bin/ringfence",
               "/opt/ringfence/bin/ringfence-cli",
               "/opt/ringfence/bin/ringfence-stage",
               "/opt/ringfence/bin/ringfence-proxy",
               "/opt/ringfence/share/ringfence/claude-plugin/x",
               "~/.local/state/ringfence/audit.jsonl",
               "~/.local/state/ringfence/audit.jsonl.20260101T000000.000000000Z",
               "~/.local/state/ringfence/trust.json",
               "~/.local/state/ringfence/approvals.json"},
              "deny");
}

TEST_CASE("protected: reading is not restricted") {
  const Open world;
  CHECK(world.Read("~/.config/ringfence/policy.json") == "permit");
  CHECK(world.Read(".claude/settings.json") == "permit");
}

TEST_CASE("protected: not the neighbours") {
  const Open world;
  CheckWrites(world,
              {".claude/commands/x.md",
               ".claude/x.json",
               ".claude/my-settings.json",
               "settings.json",
               "claude/settings.json",
               "~/.config/ringfence2/policy.json",
               "~/.config/x",
               "~/.local/state/x",
               "~/.claude/plans/x.md",
               "~/.claude.json",
               "/opt/ringfence/bin/other",
               "/opt/ringfence/share/doc/ringfence/x",
               "/opt/ringfence/share/x",
               "/opt/ringfence/bin/ringfence-x",
               "policy.json",
               "ringfence/policy.json",
               ".ringfenced/x",
               "/etc/ringfence.conf",
               ".claude/worktrees/a/src/x.cc",
               ".claude/worktrees"},
              "permit");
}

TEST_CASE("protected: in other letter case and with ignored characters") {
  const Open world;
  CheckWrites(world,
              {".Claude/Settings.json", ".CLAUDE/SETTINGS.LOCAL.JSON", "~/.Config/Ringfence/x",
               ".RINGFENCE/policy.json", ".cla\xE2\x80\x8Bude/settings.json",
               ".claude/settings.local\xE2\x80\x8D.json",
               ".claude/\xC5\xBF"
               "ettings.json"},
              "deny");
}

TEST_CASE("protected: through dots") {
  const Open world;
  CheckWrites(world,
              {"./.claude/./settings.json", "src/../.claude/settings.json",
               ".claude/x/../settings.json", "~/project/.claude/settings.json",
               "../project/.claude/settings.json", ".claude//settings.json"},
              "deny");
}

TEST_CASE("protected: by replacing a parent directory") {
  const Open world;
  CheckWrites(
      world,
      {".claude", "sub/.claude", "~/.claude", ".ringfence", "~/.config/ringfence", "~/.config",
       "~/.local/state/ringfence", "~/.local/state", "~/.local", "/etc/claude-code",
       "/etc/ringfence", "/etc", "/opt/ringfence/bin", "/opt/ringfence", "/opt"},
      "deny");
}

TEST_CASE("protected: naming a working directory does not replace it") {
  const Open world;
  CheckWrites(world, {".", "/home/dev/project", "~", "/home", "src"}, "permit");
}

TEST_CASE("protected: through links to it") {
  Open world;
  world.files.Put("/home/dev/project/.claude/settings.json", File());
  world.files.Put("/home/dev/project/innocent", LinkTo(".claude"));
  world.files.Put("/home/dev/project/one.json", LinkTo(".claude/settings.json"));
  world.files.Put("/home/dev/project/new.json", LinkTo("/home/dev/.config/ringfence/policy.json"));
  world.files.Put("/home/dev/project/home", LinkTo("/home/dev"));
  CheckWrites(world,
              {"innocent/settings.json", "innocent/settings.local.json", "one.json", "new.json",
               "home/.claude/settings.json", "home/.config/ringfence/policy.json"},
              "deny");
  CheckWrites(world, {"innocent/commands/x.md", "home/x"}, "permit");
}

TEST_CASE("protected: the targets of links in it") {
  Open world;
  world.files.Put("/home/dev/.claude", LinkTo("project/dot/claude"));
  world.files.Put("/home/dev/project/dot/claude", Directory());
  world.files.Put("/home/dev/project/.claude/settings.json", LinkTo("../real/settings.json"));
  world.files.Put("/home/dev/project/real/settings.json", File());
  CheckWrites(world,
              {"dot/claude/settings.json", "dot/claude/settings.local.json", "real/settings.json"},
              "deny");
  CheckWrites(world, {"dot/claude/commands/x.md", "real/other.json"}, "permit");
}

TEST_CASE("protected: a program that is a link, whether or not the hook's own path is known") {
  for (const char* real : {"", "/opt/ringfence/bin/ringfence-hook", "/opt/real/hook"}) {
    CAPTURE(real);
    Open world;
    world.places.program_real = Path::Parse(real);
    world.files.Put("/opt/ringfence/bin/ringfence-hook", File());
    world.files.Put("/opt/ringfence/bin/ringfence", LinkTo("/srv/ringfence-1.0"));
    world.files.Put("/srv/ringfence-1.0", File());
    CheckWrites(
        world,
        {"/opt/ringfence/bin/ringfence-hook", "/opt/ringfence/bin/ringfence", "/srv/ringfence-1.0"},
        "deny");
    CheckWrites(world, {"/srv/ringfence-2.0", "/opt/ringfence/bin/other"}, "permit");
  }
}

TEST_CASE("protected: if ~/.config is a link into the project, the policy there is protected") {
  Open world;
  world.files.Put("/home/dev/.config", LinkTo("/home/dev/project/config"));
  CheckWrites(world, {"config/ringfence/policy.json", "config/ringfence/x", "config/ringfence"},
              "deny");
  world.files.Put("/home/dev/project/config/nvim/init.lua", File());
  CheckWrites(world, {"config/ringfence/policy.json", "Config/Ringfence/policy.json"}, "deny");
  CheckWrites(world, {"config/nvim/init.lua", "config/x"}, "permit");
}

TEST_CASE("protected: replacing the directory that this link leads to is denied, too") {
  Open world;
  world.files.Put("/home/dev/.config", LinkTo("/home/dev/project/dotfiles/config"));
  CheckWrites(world, {"dotfiles/config", "dotfiles"}, "deny");
  world.files.Put("/home/dev/project/dotfiles/config", Directory());
  CheckWrites(world, {"dotfiles/config", "dotfiles"}, "deny");
}

TEST_CASE("protected: the link through which a protected name is reached") {
  Open world;
  world.files.Put("/home/dev/.config", LinkTo("/srv/a"));
  world.files.Put("/srv/a", LinkTo("/srv/b"));
  world.files.Put("/srv/b", Directory());
  // A tool that replaces the file under a name puts another directory there.
  CHECK(world.Call("mcp__fs__move", R"({"source":"/tmp/x","destination":"/srv/a"})") == "deny");
  CHECK(world.Call("mcp__fs__move", R"({"source":"/tmp/x","destination":"~/.config"})") == "deny");
}

TEST_CASE("protected: by inode, under the name of a hard link") {
  struct Own {
    std::string_view name;
    std::string path;
  };
  const Own files[] = {
      {"the user's policy", "/home/dev/.config/ringfence/policy.json"},
      {"the project's policy", "/home/dev/project/.ringfence/policy.json"},
      {"the registration", "/home/dev/.claude/settings.json"},
      {"the project's registration", "/home/dev/project/.claude/settings.local.json"},
      {"the program", "/opt/ringfence/bin/ringfence-hook"},
      {"the audit log", "/home/dev/.local/state/ringfence/audit.jsonl"},
      {"the trust store", "/home/dev/.local/state/ringfence/trust.json"},
      {"the approvals", "/home/dev/.local/state/ringfence/approvals.json"},
      {"the managed settings", "/etc/claude-code/managed-settings.json"},
      {"a part of the managed settings", "/etc/claude-code/managed-settings.d/10-x.json"},
      {"what a session was permitted", "/home/dev/.local/state/ringfence/sessions/s1.json"},
      {"a rotated log", "/home/dev/.local/state/ringfence/audit.jsonl.20260101T000000Z"},
  };
  for (const Own& own : files) {
    CAPTURE(own.name);
    Open world;
    world.files.Put(own.path, File().Inode(7).Links(2));
    // Other files, and directories that cannot be read, do not end the search.
    for (const std::string name : {"a", "z"}) {
      world.files.Put("/home/dev/.local/state/ringfence/" + name, File());
      world.files.Put("/home/dev/.local/state/ringfence/" + name + "-closed",
                      UnreadableDirectory());
    }
    world.files.Put("/home/dev/project/innocent.txt", File().Inode(7).Links(2));
    world.files.Put("/home/dev/project/node_modules/a/x", File().Inode(7).Links(2));
    CHECK(world.Write("innocent.txt") == "deny");
    CHECK(world.Write("node_modules/a/x") == "deny");
    world.files.Put("/home/dev/project/innocent.txt", File().Inode(7).Links(2).Device(2));
    CHECK(world.Write("innocent.txt") == "ask");  // on another disk it is another file
  }
}

TEST_CASE("protected: the audit log, wherever the policy puts it") {
  Open world;
  world.places.audit_file = Path::Clean("/home/dev/project/log/a.jsonl");
  CheckWrites(world, {"log/a.jsonl", "log/A.jsonl", "log/a.jsonl.20260101T000000Z", "log"}, "deny");
  CheckWrites(world, {"log/b.jsonl", "log/a.jsonl2", "logs/a.jsonl"}, "permit");
}

TEST_CASE("protected: the file of --policy and the client's other configuration directory") {
  Open world;
  world.places.policies.push_back(Path::Clean("/home/dev/project/policies/strict.json"));
  world.places.settings_folders.push_back(Path::Clean("/home/dev/project/cc"));
  CheckWrites(world,
              {"policies/strict.json", "policies", "cc/settings.json", "cc/settings.local.json"},
              "deny");
  CheckWrites(world, {"policies/other.json", "cc/x"}, "permit");
}

TEST_CASE("protected: the files of both homes if HOME differs") {
  Open world;
  world.files.Put("/home/other", Directory());
  world.AddHome("/home/other");
  CheckWrites(
      world,
      {"/home/other/.config/ringfence/policy.json", "/home/dev/.config/ringfence/policy.json",
       "/home/other/.claude/settings.json", "/home/other/.local/state/ringfence/trust.json"},
      "deny");
}

TEST_CASE("protected: in a project reached through a link") {
  Open world;
  world.files.Put("/home/dev/entry", LinkTo("project"));
  world.MoveRoot("/home/dev/entry", "/home/dev/project");
  world.cwd = "/home/dev/entry";
  CheckWrites(
      world,
      {".claude/settings.json", "/home/dev/project/.claude/settings.json",
       "/home/dev/entry/.ringfence/policy.json", "/home/dev/project/.ringfence/policy.json"},
      "deny");
}

TEST_CASE("protected: from any tool that names it") {
  const Open world;
  CHECK(world.Call("Edit", R"({"file_path":".claude/settings.json"})") == "deny");
  CHECK(world.Call("MultiEdit", R"({"file_path":".claude/settings.json","edits":[]})") == "deny");
  CHECK(world.Call("NotebookEdit", R"({"notebook_path":".claude/settings.json"})") == "deny");
  CHECK(world.Call("mcp__x__save", R"({"path":".claude/settings.json"})") == "deny");
  CHECK(world.Call("mcp__x__save", R"({"uri":"file:///home/dev/project/.claude/settings.json"})") ==
        "deny");
  CHECK(world.Call("EnterWorktree", R"({"path":".claude"})") == "deny");
}

TEST_CASE("protected: the reason says what is protected and offers no workaround") {
  const Open world;
  CHECK(world.WhyNotWrite(".claude/settings.json") ==
        R"(ringfence: write to ".claude/settings.json" refused: Claude Code's settings )"
        R"(are protected; no policy can change that. Ask the user to make this change.)");
  CHECK(world.WhyNotWrite(".claude") ==
        R"(ringfence: write to ".claude" refused: it holds Claude Code's settings, which are )"
        R"(protected; no policy can change that. Ask the user to make this change.)");
  CHECK(world.WhyNotWrite("/etc").find("it holds ringfence's policies, which are protected") !=
        std::string::npos);
  CHECK(world.WhyNotWrite("~/.config/ringfence/policy.json").find("ringfence allow") ==
        std::string::npos);
}

TEST_CASE("protected: a link in a directory on the way to a protected name") {
  Open world;
  world.files.Put("/home/dev/.claude", LinkTo("/home/dev/project/dots"));
  world.files.Put("/home/dev/project/dots/settings.json", LinkTo("../real/settings.json"));
  world.files.Put("/home/dev/project/real/settings.json", File());
  CheckWrites(world, {"dots", "dots/settings.json", "real/settings.json", "real"}, "deny");
  CheckWrites(world, {"dots/commands/x.md", "real/other.json"}, "permit");
}

TEST_CASE("protected: a directory reached by another path that is itself a link") {
  Open world;
  world.files.Put("/home/dev/.config/ringfence", LinkTo("/srv/rf"));
  world.files.Put("/srv/rf/policy.json", File());
  world.files.Put("/home/dev/project/l", LinkTo("/home/dev/.config"));
  CHECK(world.Call("mcp__fs__move", R"({"source":"/tmp/x","destination":"l/ringfence"})") ==
        "deny");
  CheckWrites(world, {"l/ringfence", "l/ringfence/policy.json", "/srv/rf/policy.json"}, "deny");
  CheckWrites(world, {"l/other"}, "permit");
}

TEST_CASE("protected: names that lead nowhere or to the root are protected themselves") {
  Open world;
  world.files.Put("/home/dev/.claude/settings.json", LinkTo("settings.local.json"));
  world.files.Put("/home/dev/.claude/settings.local.json", LinkTo("settings.json"));
  world.files.Put("/home/dev/.config/ringfence", LinkTo("/"));
  CheckWrites(world, {"~/.claude/settings.json", "~/.config/ringfence", "~/.claude"}, "deny");
  CheckWrites(world, {"README.md", "/srv/x"}, "permit");
}

TEST_CASE("protected: not another file with two names") {
  Open world;
  world.files.Put("/home/dev/.config/ringfence/policy.json", File().Inode(7).Links(2));
  world.files.Put("/home/dev/.claude/settings.json", Directory());
  world.files.Put("/home/dev/project/two", File().Inode(8).Links(2));
  CHECK(world.Write("two") == "ask");
}

TEST_CASE("protected: another home, as a tool's working directory") {
  Open world;
  world.files.Put("/srv/other", Directory());
  world.AddHome("/srv/other");
  CheckWrites(world, {"/srv/other", "/srv"}, "permit");
  CheckWrites(world, {"/srv/other/.claude", "/srv/other/.config"}, "deny");
}

TEST_CASE("protected: without a home and a log, everything else is still protected") {
  Open world;
  world.NoHome();
  world.places.audit_file.reset();
  CheckWrites(world, {".claude/settings.json", ".ringfence/policy.json", "/etc/ringfence/x"},
              "deny");
  CheckWrites(world, {"README.md"}, "permit");
}

TEST_CASE("protected: a rotated log outside the project, under the name of a hard link") {
  Open world;
  world.places.audit_file = Path::Clean("/srv/log/a.jsonl");
  world.files.Put("/srv/log/a.jsonl", File());
  world.files.Put("/srv/log/a.jsonl.20260101T000000Z", File().Inode(7).Links(2));
  world.files.Put("/srv/log/other", File().Inode(8).Links(2));
  world.files.Put("/srv/log/a.jsonl.d/x", File().Inode(8).Links(2));
  world.files.Put("/home/dev/project/node_modules/a/x", File().Inode(7).Links(2));
  world.files.Put("/home/dev/project/node_modules/a/y", File().Inode(8).Links(2));
  CheckWrites(world, {"node_modules/a/x"}, "deny");
  CheckWrites(world, {"node_modules/a/y"}, "permit");
}

TEST_CASE("protected: own directories that are unreadable, huge or lead nowhere") {
  for (const int folders : {0, 10, 1}) {
    CAPTURE(folders);
    Open world;
    world.files.Put("/home/dev/.claude/settings.json", LinkTo("settings.local.json"));
    world.files.Put("/home/dev/.claude/settings.local.json", LinkTo("settings.json"));
    world.files.Put("/etc/ringfence", UnreadableDirectory());
    world.files.Put("/home/dev/project/node_modules/a/x", File().Inode(7).Links(2));
    // More files than expected: the file may be among them.
    for (int i = 0; folders > 0 && i < 5000; ++i) {
      world.files.Put("/home/dev/.local/state/ringfence/" + std::to_string(i % folders) + "/" +
                          std::to_string(i),
                      File());
    }
    CHECK(world.Write("node_modules/a/x") == (folders > 0 ? "deny" : "permit"));
  }
}
