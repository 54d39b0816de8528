// @runs-later: writes of files that run code when another program opens or runs them need a
// question.
#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

namespace {

// A repository without a work tree; `without` leaves out a part.
void PutBare(World& world, const std::string& at, std::string_view without = "") {
  if (without != "HEAD") world.files.Put(at + "/HEAD", File());
  if (without != "objects") world.files.Put(at + "/objects", Directory());
  if (without != "refs") world.files.Put(at + "/refs", Directory());
  world.files.Put(at + "/config", File());
}

}  // namespace

TEST_CASE("runs-later: files that other programs run are asked about, at any depth") {
  World world;
  world.files.Put("/home/dev/project/.git/HEAD", File());
  world.files.Put("/home/dev/project/sub/.git/HEAD", File());
  for (const std::string_view path : {".git/hooks/pre-commit",
                                      ".git/config",
                                      ".git/config.worktree",
                                      ".git/info/attributes",
                                      ".git/modules/a/hooks/x",
                                      ".git/modules/a/b/config",
                                      "sub/.git/hooks/x",
                                      ".mcp.json",
                                      "sub/.mcp.json",
                                      ".husky/pre-push",
                                      ".github/workflows/ci.yml",
                                      ".vscode/tasks.json",
                                      ".idea/runConfigurations/x.xml",
                                      "a.code-workspace",
                                      ".envrc",
                                      "sub/.ENVRC",
                                      ".claude/commands/x.md",
                                      ".claude/agents/x.md",
                                      ".claude/skills/x/SKILL.md",
                                      ".claude/plugins/x",
                                      ".claude/hooks/x.sh",
                                      ".claude/shell-snapshots/x.sh",
                                      ".claude/.config.json",
                                      ".devcontainer/devcontainer.json",
                                      ".zed/tasks.json",
                                      ".zed/settings.json",
                                      ".cursor/hooks.json",
                                      ".cursor/rules/x.mdc",
                                      ".claude/output-styles/x.md",
                                      ".hg/hgrc",
                                      "sub/.gitlab-ci.yml",
                                      ".gemini/settings.json",
                                      ".GIT/Hooks/x"}) {
    CAPTURE(path);
    CHECK(world.Write(path) == "ask");
    CHECK(world.Read(path) == "permit");
  }
}

TEST_CASE("runs-later: ordinary files beside them are not") {
  World world;
  world.files.Put("/home/dev/project/.git/HEAD", File());
  for (const std::string_view path :
       {".git/COMMIT_EDITMSG", ".gitignore",       ".gitattributes", ".github/CODEOWNERS",
        "git/hooks/x",         "hooks/x",          "config",         "HEAD",
        "objects/x",           "src/hooks/use.ts", "refs/heads/x",   ".claude/x.md",
        "vscode/tasks.json",   "workspace.json",   "envrc",          "gitlab-ci.yml",
        ".kiro/specs/x.md",    ".cursorrules",     "CLAUDE.md",      "jobs/x"}) {
    CAPTURE(path);
    CHECK(world.Write(path) == "permit");
  }
}

TEST_CASE("runs-later: files that the client runs are asked about in a directory of another name") {
  World world;
  world.places.settings_folders.push_back(Path::Clean("/home/dev/project/cfg"));
  for (const std::string_view path :
       {"cfg/commands/x.md", "cfg/shell-snapshots/x.sh", "cfg/session-env/x/hook.sh",
        "cfg/local/claude", "cfg/.config.json", "cfg/.claude.json", "cfg/remote-settings.json",
        "cfg/jobs/x/state.json"}) {
    CAPTURE(path);
    CHECK(world.Write(path) == "ask");
  }
  CHECK(world.Write("cfg/CLAUDE.md") == "permit");
}

TEST_CASE("runs-later: below the home, where a policy allows it") {
  World world;
  world.User(R"("write":{"allow":[".","~"]})");
  for (const std::string_view path :
       {"~/.bashrc", "~/.zshenv", "~/.profile", "~/.config/fish/config.fish", "~/.gitconfig",
        "~/.claude.json", "~/.config/systemd/user/x.service", "~/.config/environment.d/x.conf",
        "~/.cargo/config.toml", "~/.local/lib/python3.11/site-packages/usercustomize.py",
        "~/.vim/vimrc", "~/.xsessionrc"}) {
    CAPTURE(path);
    CHECK(world.Write(path) == "ask");
  }
  CHECK(world.Write("~/x") == "permit");
}

TEST_CASE("runs-later: a new repository is asked about, by its first file") {
  World world;
  for (const std::string_view path : {".git", ".git/x", ".git/HEAD", "sub/.git",
                                      "sub/deep/.git/objects/x", "sub/.Git/HEAD", ".git/a/b/c"}) {
    CAPTURE(path);
    CHECK(world.Write(path) == "ask");
    CHECK(world.Read(path) == "permit");
  }
  world.files.Put("/home/dev/project/wt/.git", File());  // of a worktree or a submodule
  CHECK(world.Write("wt/.git") == "ask");
}

TEST_CASE("runs-later: the files by which a bare repository runs code are asked about") {
  World world;
  PutBare(world, "/home/dev/project/mirror");
  for (const std::string_view path :
       {"mirror/config", "mirror/HEAD", "mirror/hooks/post-receive", "mirror/config.worktree"}) {
    CAPTURE(path);
    CHECK(world.Write(path) == "ask");
    CHECK(world.Read(path) == "permit");
  }
  CHECK(world.Write("mirror/description") == "permit");
}

TEST_CASE("runs-later: the file that makes a directory a bare repository is asked about") {
  for (const std::string_view last : {"HEAD", "objects", "refs"}) {
    CAPTURE(last);
    World world;
    PutBare(world, "/home/dev/project/trap", last);
    const std::string name = "trap/" + std::string(last);
    CHECK(world.Write(last == "HEAD" ? name : name + "/x") == "ask");
  }
}

TEST_CASE("runs-later: a bare repository on a disk that ignores letter case") {
  World world;
  world.places.macos_names = true;
  PutBare(world, "/home/dev/project/mirror");
  CHECK(world.Write("mirror/CONFIG") == "ask");
  CHECK(world.Write("mirror/Hooks/post-receive") == "ask");
}

TEST_CASE("runs-later: through a link into it") {
  World world;
  world.files.Put("/home/dev/project/.git/hooks", Directory());
  world.files.Put("/home/dev/project/innocent", LinkTo(".git/hooks"));
  CHECK(world.Write("innocent/pre-commit") == "ask");
  world.files.Put("/home/dev/project/.vscode", LinkTo("editor"));
  world.files.Put("/home/dev/project/editor", Directory());
  CHECK(world.Write(".vscode/tasks.json") == "ask");
}

TEST_CASE("runs-later: a project inside the target of a link in the home is exempt, nothing more") {
  World world;
  world.files.Put("/home/dev/.config/nvim", LinkTo("/srv/nvim"));
  world.files.Put("/srv/nvim/lua", Directory());
  world.MoveRoot("/srv/nvim/lua", "/srv/nvim/lua");
  world.User(R"("write":{"allow":[".","/srv/nvim"]})");
  CHECK(world.Write("/srv/nvim/lua/x.lua") == "permit");
  CHECK(world.Write("/srv/nvim/init.lua") == "ask");
}

TEST_CASE("runs-later: a pattern is followed through a link to the files that it names") {
  World world;
  world.files.Put("/home/dev/.local/lib", LinkTo("/home/dev/project/lib"));
  world.files.Put("/home/dev/project/lib/python3/site-packages", Directory());
  CHECK(world.Write("lib/python3/site-packages/x.pth") == "ask");
  CHECK(world.Write("lib/python3/site-packages/x.py") == "permit");
}

TEST_CASE("runs-later: a policy without the set asks nothing, one that denies it denies") {
  World open;
  open.User(R"("write":{"ask":[]})");
  CHECK(open.Write(".git/hooks/x") == "permit");
  CHECK(open.Write("new/.git/HEAD") == "permit");
  World closed;
  closed.User(R"("write":{"deny":["@runs-later"]})");
  CHECK(closed.Write(".git/hooks/x") == "deny");
  CHECK(closed.Write(".envrc") == "deny");
  CHECK(closed.Write("new/.git/HEAD") == "deny");
}

TEST_CASE("runs-later: data files of a bare repository are written without a question") {
  World world;
  PutBare(world, "/home/dev/project/bare");
  world.files.Put("/home/dev/project/.git/HEAD", File());
  world.files.Put("/home/dev/project/.git/refs/heads/main", File());
  CHECK(world.Write("bare/objects/ab/x") == "permit");
  CHECK(world.Write("bare/refs/heads/x") == "permit");
  CHECK(world.Write("bare/hooks/x") == "ask");
  CHECK(world.Write(".git/refs/heads/main") == "permit");
}
