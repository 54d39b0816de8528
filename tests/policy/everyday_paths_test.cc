// Random everyday paths: wherever the project is, the client's own files and ordinary project files
// are neither denied nor asked about, by the built-in policy and by the one that init writes.
// RINGFENCE_SEED repeats a run.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "cli/setup/starter_policy.h"
#include "tests/support/client_places.h"
#include "tests/support/mutate.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

constexpr int kDays = 60;
constexpr int kCallsPerDay = 20;

class Day {
 public:
  explicit Day(uint32_t seed) : random_(seed) {}

  unsigned Below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool OneIn(unsigned n) { return Below(n) == 0; }
  template <size_t N>
  std::string One(const char* const (&words)[N]) {
    return words[Below(N)];
  }

  std::string Word() {
    static constexpr const char* kWords[] = {
        "main",        "index",  "user",   "api",     "test_x", "a b",
        "caf\xC3\xA9", "core-2", "Config", "config",  "data",   "hooks",
        "secret",      "token",  "tasks",  "objects", "refs",   "commands"};
    return One(kWords);
  }

  std::string Source() {
    static constexpr const char* kEnds[] = {".cc", ".h",   ".js",    ".ts",   ".py",   ".go",
                                            ".rs", ".md",  ".png",   ".json", ".yml",  ".toml",
                                            ".sh", ".sql", ".ipynb", ".lock", ".html", ".test.tsx"};
    static constexpr const char* kFolders[] = {
        "src/",        "lib/",        "tests/", "docs/adr/",   "app/api/",   "packages/web/src/",
        "cmd/server/", "assets/img/", "",       ".storybook/", "migrations/"};
    return One(kFolders) + Word() + One(kEnds);
  }

  std::string Project() {
    static constexpr const char* kFiles[] = {".gitignore",
                                             ".gitattributes",
                                             ".gitmodules",
                                             ".editorconfig",
                                             ".npmrc",
                                             ".yarnrc",
                                             ".nvmrc",
                                             ".prettierrc",
                                             ".eslintrc.json",
                                             ".dockerignore",
                                             "Dockerfile",
                                             "Makefile",
                                             "CMakeLists.txt",
                                             "package.json",
                                             "pyproject.toml",
                                             "Cargo.toml",
                                             "go.mod",
                                             "README.md",
                                             "CLAUDE.md",
                                             "CLAUDE.local.md",
                                             ".claude/CLAUDE.md",
                                             ".claude/agent-memory/reviewer/MEMORY.md",
                                             ".claude/agent-memory-local/x/a.md",
                                             ".env.example",
                                             ".env.sample",
                                             "app/.env.template",
                                             ".env.dist",
                                             ".env.local.example",
                                             ".github/ISSUE_TEMPLATE/bug.md",
                                             ".github/dependabot.yml",
                                             ".clang-format",
                                             ".cargo/config.toml",
                                             ".bundle/config",
                                             ".docker/config.json",
                                             ".claude/worktrees/feat+x/src/main.cc"};
    return OneIn(2) ? One(kFiles) : Source();
  }

  std::string Dependency() {
    static constexpr const char* kFiles[] = {"node_modules/react/index.js",
                                             "node_modules/@types/node/fs.d.ts",
                                             "node_modules/esbuild/.github/workflows/ci.yml",
                                             "node_modules/x/.vscode/settings.json",
                                             "vendor/github.com/x/y/z.go",
                                             "third_party/zlib/zlib.h",
                                             "target/debug/build/x/output",
                                             ".venv/lib/python3.11/site-packages/requests/api.py",
                                             "dist/main.js",
                                             "build/Makefile",
                                             "__pycache__/a.pyc",
                                             ".git/HEAD",
                                             ".git/config",
                                             ".github/workflows/ci.yml",
                                             ".vscode/settings.json",
                                             ".devcontainer/devcontainer.json",
                                             ".husky/pre-commit",
                                             ".mcp.json",
                                             ".envrc",
                                             ".claude/settings.json",
                                             ".claude/skills/x/SKILL.md",
                                             ".claude/rules/style.md",
                                             ".pre-commit-config.yaml",
                                             ".gitlab-ci.yml",
                                             ".claude/commands/x.md"};
    return One(kFiles);
  }

  std::string Toolchain() {
    static constexpr const char* kFiles[] = {"/usr/include/stdio.h",
                                             "/usr/include/x86_64-linux-gnu/sys/stat.h",
                                             "/usr/lib/python3/dist-packages/apt/cache.py",
                                             "/usr/share/doc/git/README.md",
                                             "/usr/local/go/src/fmt/print.go",
                                             "/usr/local/lib/node_modules/npm/package.json",
                                             "~/.cargo/registry/src/index/serde-1.0/src/lib.rs",
                                             "~/.rustup/toolchains/x/lib/a.rs",
                                             "~/go/pkg/mod/golang.org/x/net@v0.1/http2/frame.go",
                                             "~/.m2/repository/a/b/c.pom",
                                             "~/.local/lib/python3.11/site-packages/x.py",
                                             "~/.nvm/versions/node/v22/lib/a.js",
                                             "~/.pyenv/versions/3.11.7/lib/python3.11/os.py",
                                             "~/.cache/uv/x",
                                             "~/.gem/ruby/3.0/a.rb",
                                             "/nix/store/x-glibc/include/stdio.h",
                                             "/usr/local/cargo/registry/src/x/lib.rs",
                                             "~/miniconda3/lib/python3.12/os.py",
                                             "~/.virtualenvs/p/lib/python3.11/site-packages/x.py",
                                             "~/.volta/tools/image/node/22/lib/a.js",
                                             "~/.npm/_logs/2026-01-01-debug-0.log",
                                             "~/Android/Sdk/sources/android-35/a.java"};
    return One(kFiles);
  }

 private:
  std::mt19937 random_;
};

class WorldAt : public World {
 public:
  explicit WorldAt(const ClientPlace& place) {
    session = kClientSession;
    cwd = place.start;
    files.Put(place.start, Directory());
    files.Put("/tmp/claude-1000", Directory().Mode(0700));
    if (!place.git.empty()) files.Put(place.git + "/.git/HEAD", File());
    if (!place.worktree.empty()) AddWorktree(place);
    MoveRoot(place.root, place.root);
    if (place.start != place.root) places.start = Path::Clean(place.start);
  }

 private:
  void AddWorktree(const ClientPlace& place) {
    const std::string own = place.git + "/.git/worktrees/x";
    files.Put(place.worktree + "/.git", File("gitdir: " + own + "\n"));
    files.Put(own + "/commondir", File("../..\n"));
    files.Put(own + "/gitdir", File(place.worktree + "/.git\n"));
  }
};

void CheckClient(const World& world, const ClientPlace& place) {
  const ClientFiles client = ClientFilesOf(place);
  for (const std::string& path : client.read) {
    CAPTURE(path);
    CHECK(world.Read(path) == "permit");
  }
  for (const std::string& path : client.written) {
    CAPTURE(path);
    CHECK(world.Write(path) == "permit");
    CHECK(world.Call("Edit", PathInput(path)) == "permit");
  }
  for (const std::string& path : client.read) {
    if (std::ranges::find(client.written, path) != client.written.end()) continue;
    if (Path::Clean(path).IsInside(Path::Clean(place.root))) continue;
    if (path.find("/scratchpad/") != std::string::npos) continue;
    CAPTURE(path);
    CHECK(world.Write(path) == "deny");
  }
  for (const std::string& path : client.others) {
    CAPTURE(path);
    CHECK(world.Read(path) == "deny");
    CHECK(world.Write(path) == "deny");
  }
}

std::string Starter() { return StarterPolicy({}); }

}  // namespace

TEST_CASE("everyday paths: paths that the client shows are open in every kind of project") {
  for (const ClientPlace& place : EveryClientPlace()) {
    CAPTURE(place.start);
    CAPTURE(place.root);
    WorldAt world(place);
    CheckClient(world, place);
    world.AddFile(Layer::kUser, Starter());
    CheckClient(world, place);
  }
}

TEST_CASE("everyday paths: nothing ordinary is denied or asked about") {
  const uint32_t seed = TestSeed();
  CAPTURE(seed);
  Day day(seed);
  const std::vector<ClientPlace> places = EveryClientPlace();
  for (int i = 0; i < kDays; ++i) {
    const ClientPlace& place = places[day.Below(static_cast<unsigned>(places.size()))];
    CAPTURE(place.start);
    WorldAt world(place);
    const bool starts = day.OneIn(2);
    if (starts) world.AddFile(Layer::kUser, Starter());
    for (int n = 0; n < kCallsPerDay; ++n) {
      const std::string path = place.start + "/" + day.Project();
      CAPTURE(path);
      const std::string sub = place.start + "/" + day.Word() + "/" + day.Source();
      CAPTURE(sub);
      CHECK(world.Write(path) == "permit");
      CHECK(world.Call("Edit", PathInput(path)) == "permit");
      CHECK(world.Read(path) == "permit");
      CHECK(world.Write(sub) == "permit");
      CHECK(world.Read(place.start + "/" + day.Dependency()) == "permit");
      if (starts) CHECK(world.Read(day.Toolchain()) == "permit");
    }
    CHECK(world.Call("Grep", R"({"pattern":"x"})") == "permit");
    CHECK(world.Call("Glob", R"({"pattern":"**/*.ts"})") == "permit");
  }
}

TEST_CASE("everyday paths: runs-later files in a project ask, wherever the project is") {
  for (const ClientPlace& place : EveryClientPlace()) {
    CAPTURE(place.start);
    WorldAt world(place);
    for (const char* name :
         {".git/hooks/pre-commit", "sub/.git/config", ".envrc", ".vscode/tasks.json", ".mcp.json",
          ".github/workflows/ci.yml", ".claude/skills/x/SKILL.md", ".husky/pre-push",
          ".pre-commit-config.yaml", ".claude/rules/style.md", ".gitlab-ci.yml", ".hg/hgrc",
          ".cursor/mcp.json"}) {
      CAPTURE(name);
      CHECK(world.Write(place.start + "/" + name) == "ask");
    }
    // Outside the project, in the same location, they still ask.
    world.User(R"("write":{"allow":[".","~"]})");
    for (const char* name : {"/home/dev/.bashrc", "/home/dev/.config/autostart/x.desktop"}) {
      CAPTURE(name);
      CHECK(world.Write(name) == "ask");
    }
  }
  WorldAt world({"/home/dev/.config/nvim/lua/mine", "/home/dev/.config/nvim/lua/mine",
                 "/home/dev/.config/nvim/lua/mine", "", ""});
  world.User(R"("write":{"allow":[".","~"]})");
  CHECK(world.Write("/home/dev/.config/nvim/lua/mine/init.lua") == "permit");
  CHECK(world.Write("/home/dev/.config/nvim/init.lua") == "ask");
  CHECK(world.Write("/home/dev/.config/nvim/lua/other.lua") == "ask");
}

TEST_CASE("everyday paths: a project that a runs-later path leads to") {
  const std::string own = "/home/dev/dotfiles/nvim";
  WorldAt world({own, own, own, "", ""});
  world.files.Put("/home/dev/.config/nvim", LinkTo("../dotfiles/nvim"));
  CHECK(world.Write(own + "/init.lua") == "permit");
  world.MoveRoot("/home/dev/.config/nvim", own);
  CHECK(world.Write("/home/dev/.config/nvim/init.lua") == "permit");
  CHECK(world.Write(own + "/init.lua") == "permit");
  // In a larger project, that part counts as runs-later.
  WorldAt whole({"/home/dev/dotfiles", "/home/dev/dotfiles", "/home/dev/dotfiles", "", ""});
  whole.files.Put("/home/dev/.config/nvim", LinkTo("../dotfiles/nvim"));
  CHECK(whole.Write(own + "/init.lua") == "ask");
  CHECK(whole.Write("/home/dev/dotfiles/README.md") == "permit");
}

TEST_CASE("everyday paths: without a home the project's own files belong to the project") {
  World world;
  world.NoHome();
  for (const char* name : {".npmrc", ".yarnrc", ".bundle/config", "app/.npmrc", ".config/git/x",
                           "bin/run", "go/.docker/config.json"}) {
    CAPTURE(name);
    CHECK(world.Read("/home/dev/project/" + std::string(name)) == "permit");
    CHECK(world.Write("/home/dev/project/" + std::string(name)) == "permit");
  }
  world.User(R"("read":{"allow":["/"]},"write":{"allow":["/"]})");
  CHECK(world.Read("/home/dev/.npmrc") == "deny");
  CHECK(world.Read("/srv/dev/.ssh/id_rsa") == "deny");
  CHECK(world.Write("/home/dev/bin/x") == "ask");
  // A project that looks like a home.
  world.files.Put("/home/eve/.npmrc", File());
  world.MoveRoot("/home/eve", "/home/eve");
  CHECK(world.Read("/home/eve/.npmrc") == "deny");
  CHECK(world.Read("/home/eve/.ssh/id_rsa") == "deny");
  CHECK(world.Read("/home/eve/src/a.cc") == "permit");
  world.MoveRoot("/root", "/root");
  CHECK(world.Read("/root/.ssh/id_rsa") == "deny");
}

TEST_CASE("everyday paths: the starter policy asks before a tool reads a .env file") {
  World world;
  world.AddFile(Layer::kUser, Starter());
  for (const char* name : {".env", ".env.local", ".env.production", "app/.env", ".ENV", ".env.d/x",
                           "x/.env.test.local", ".env.example.local", ".env.example/.env"}) {
    CAPTURE(name);
    const std::string path = "/home/dev/project/" + std::string(name);
    CHECK(world.Read(path) == "ask");
    CHECK(world.Call("Edit", PathInput(path)) == "ask");
    CHECK(world.Write(path) == "permit");  // a write shows nothing
    world.files.Put("/home/dev/project/link", LinkTo(path));
    CHECK(world.Read("/home/dev/project/link") == "ask");
  }
  for (const char* name : {".env.example", ".env.sample", ".env.template", ".env.dist", "env",
                           ".envoy/x", ".env.local.example", ".Env.Sample", "src/env.ts"}) {
    CAPTURE(name);
    CHECK(world.Read("/home/dev/project/" + std::string(name)) == "permit");
  }
  CHECK(world.Call("Grep", R"({"pattern":"TOKEN"})") == "permit");
  CHECK(world.Call("Grep", R"({"pattern":"TOKEN","path":"/home/dev/project/.env"})") == "ask");
  CHECK(world.Call("Glob", R"({"pattern":"**/.env*"})") == "permit");
  World denied;
  denied.User(R"("read":{"deny":["@dotenv"]},"write":{"deny":["@dotenv"]})");
  CHECK(denied.Read("/home/dev/project/.env.local") == "deny");
  CHECK(denied.Write("/home/dev/project/.env.local") == "deny");
  CHECK(denied.Read("/home/dev/project/.env.example") == "permit");
  CHECK(denied.Read("/home/dev/.ssh/id_rsa") == "deny");
}
