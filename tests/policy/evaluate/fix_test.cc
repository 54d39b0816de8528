#include "policy/evaluate/fix.h"

#include <doctest/doctest.h>
#include <wordexp.h>

#include <string>
#include <vector>

#include "agents/claude/agent.h"
#include "policy/decide.h"
#include "tests/support/suggested.h"
#include "tests/support/world.h"

using namespace ringfence;

namespace {

TEST_CASE("fix: a shell reads the intended word") {
  for (const std::string_view text :
       {"/etc/hosts", "/a b", "/$(id)",    "/a\\b", "/*",        "/it's", "/'",
        "/a;b",       "/a&b", "/#x",       "/~x",   "/\"q\"",    "/x!y",  "/[a]",
        "/{a,b}",     "=x",   "/\xC3\xA9", "/a=b",  "mcp__x__*", "[::1]"}) {
    CAPTURE(text);
    wordexp_t words{};
    REQUIRE(::wordexp(ShellWord(text).c_str(), &words, WRDE_NOCMD | WRDE_UNDEF) == 0);
    CHECK(words.we_wordc == 1);
    CHECK(words.we_wordv[0] == text);
    ::wordfree(&words);
    CHECK(ShellWords(ShellWord(text)) == std::vector<std::string>{std::string(text)});
  }
  CHECK(ShellWord("/etc/hosts") == "/etc/hosts");
  CHECK(ShellWord("/it's") == "'/it'\\''s'");
}

TEST_CASE("fix: no word is offered for an option, or for an invisible, empty or very long name") {
  for (const std::string& text :
       {std::string(), std::string("-x"), std::string("/a\nb"), std::string("/a`b"),
        std::string("/\xE2\x80\xAE"), std::string(301, 'a')}) {
    CAPTURE(text);
    CHECK(ShellWord(text).empty());
  }
  CHECK(ShellWord(std::string(300, 'a')).size() == 300);
}

TEST_CASE("fix: names with a random part are temporary") {
  for (const std::string_view name :
       {"tmp.Xa3k9Qw2Lp", "tmpab12cd34", ".tmpFfG2x1", "out-9f86d081884c", "x.tmp", "a.swp", "b~",
        "1732480000.log", "11111111-2222-3333-4444-555555555555", "fence-test.k3j5x2a9",
        "aB3dE9"}) {
    CAPTURE(name);
    CHECK(LooksTemporary(name));
  }
  for (const std::string_view name :
       {"hosts", "notes.md", "CMakeLists.txt", "README", "src", "v1.2.3", "node20", "temp",
        "template.html", "tmp", "python3.11", "libfoo.so.1", "report-2024.pdf", "x86_64",
        "MyComponent.tsx", "id_ed25519", "utf8.h", "", "base64"}) {
    CAPTURE(name);
    CHECK_FALSE(LooksTemporary(name));
  }
}

TEST_CASE("fix: shared directories are never suggested") {
  const World world;
  for (const char* text : {"/",
                           "/tmp",
                           "/var/tmp",
                           "/dev/shm",
                           "/etc",
                           "/usr",
                           "/usr/local",
                           "/usr/bin",
                           "/home",
                           "/home/dev",
                           "/home/other",
                           "/opt",
                           "/srv",
                           "/var",
                           "/var/log",
                           "/root",
                           "/home/dev/.config",
                           "/home/dev/.cache",
                           "/home/dev/.local/share",
                           "/home/dev/project",
                           "/run/user/1000"}) {
    CAPTURE(text);
    CHECK(IsSharedFolder(Path::Clean(text), world.places));
  }
  for (const char* text : {"/home/dev/src", "/srv/data", "/opt/tool", "/tmp/build",
                           "/home/dev/project/src", "/home/other/src", "/etc/nginx"}) {
    CAPTURE(text);
    CHECK_FALSE(IsSharedFolder(Path::Clean(text), world.places));
  }
}

TEST_CASE("fix: every name of the project's parent directories counts as shared") {
  World world;
  world.MoveRoot("/home/dev/work/entry", "/srv/real/project");
  for (const char* text : {"/home/dev/work", "/home/dev/work/entry", "/srv/real"}) {
    CAPTURE(text);
    CHECK(IsSharedFolder(Path::Clean(text), world.places));
  }
  CHECK_FALSE(IsSharedFolder(Path::Clean("/home/dev/work/other"), world.places));
}

struct Row {
  const char* path;
  FileKind kind;
  const char* want;  // the path to permit; "" for no command
  bool for_session = false;
};

constexpr FileKind kFile = FileKind::kFile;
constexpr FileKind kFolder = FileKind::kDirectory;
constexpr FileKind kMissing = FileKind::kMissing;

constexpr Row kRows[] = {
    {"/etc/hosts", kFile, "/etc/hosts"},
    {"/etc/hosts", kMissing, "/etc/hosts"},
    {"/etc/nginx/nginx.conf", kFile, "/etc/nginx/nginx.conf"},
    {"/home/dev/lib/a.c", kFile, "~/lib/a.c"},
    {"/home/dev/lib/new.c", kMissing, "~/lib"},
    {"/home/dev/lib", kFolder, "~/lib"},
    {"/home/dev/new.txt", kMissing, "~/new.txt"},
    {"/home/dev/.config/tool/x", kMissing, "~/.config/tool"},
    {"/home/dev/a b/x", kFile, "~/a b/x"},
    {"/home/dev/it's/x", kFile, "~/it's/x"},
    {"/srv/data/x", kMissing, "/srv/data"},
    {"/home/dev/lib/tmpa1b2c3d4", kMissing, "~/lib"},
    {"/home/dev/lib/tmpa1b2c3d4", kFile, "~/lib"},
    {"/home/dev/lib/build-9f86d081884c/x", kMissing, "~/lib"},
    {"/home/dev/tmpa1b2c3d4", kMissing, "~/tmpa1b2c3d4", true},
    {"/tmp/x.txt", kFile, "/tmp/x.txt", true},
    {"/tmp/tmp.a8Xk2Qw9", kMissing, "/tmp/tmp.a8Xk2Qw9", true},
    {"/tmp/build/x.o", kMissing, "/tmp/build", true},
    {"/tmp/tmp.a8Xk2Qw9/x", kMissing, "/tmp/tmp.a8Xk2Qw9", true},
    {"/var/tmp/x", kMissing, "/var/tmp/x", true},
    {"/dev/shm/x", kMissing, "/dev/shm/x", true},
    {"/notes.txt", kFile, "/notes.txt"},
    {"/tmpfiles/x", kFile, "/tmpfiles/x"},
    {"/", kFolder, ""},
    {"/etc", kFolder, ""},
    {"/etc", kMissing, ""},
    {"/tmp", kFolder, ""},
    {"/home", kFolder, ""},
    {"/home/dev", kFolder, ""},
    {"/home/other", kFolder, ""},
};

TEST_CASE("fix: writing a system program is not suggested, reading it is") {
  World world;
  world.files.Put("/usr/bin/dash", File());
  world.files.Put("/bin", LinkTo("usr/bin"));
  world.files.Put("/usr/bin/sh", LinkTo("dash"));
  world.User(R"("tools":{"allow":["mcp__team__*","Read","Write"]})");
  CHECK(SuggestedPath(world.WhyNotWrite("/bin/sh")).empty());
  CHECK(SuggestedPath(world.WhyNotRead("/usr/bin/dash")) == "/usr/bin/dash");
  const std::string reason =
      ReasonText(world.Decide("mcp__team__exec", R"({"command":["/bin/sh","-c","ls"]})"), "");
  CHECK(Suggested(reason).empty());
  CHECK(reason.find("Not a path? The user can add") != std::string::npos);
}

TEST_CASE("fix: the suggested path will be used again, and is never a shared directory") {
  for (const Row& row : kRows) {
    for (const Access access : {Access::kRead, Access::kWrite}) {
      CAPTURE(row.path);
      CAPTURE(access == Access::kRead);
      World world;
      if (row.kind == kFile) world.files.Put(row.path, File());
      if (row.kind == kFolder) world.files.Put(row.path, Directory());
      const std::string reason =
          access == Access::kRead ? world.WhyNotRead(row.path) : world.WhyNotWrite(row.path);
      CAPTURE(reason);
      const std::vector<std::string> words = Suggested(reason);
      if (*row.want == 0) {
        CHECK(words.empty());
        continue;
      }
      std::vector<std::string> want{"ringfence", "allow"};
      if (access == Access::kRead) want.emplace_back("--read");
      if (row.for_session) want.emplace_back("--session");
      want.emplace_back(row.want);
      CHECK(words == want);
    }
  }
}

TEST_CASE("fix: the suggested command permits the call") {
  for (const Row& row : kRows) {
    if (*row.want == 0) continue;
    CAPTURE(row.path);
    World world;
    if (row.kind == kFile) world.files.Put(row.path, File());
    if (row.kind == kFolder) world.files.Put(row.path, Directory());
    const std::string path = SuggestedPath(world.WhyNotWrite(row.path));
    const std::string lists =
        R"("read":{"allow":[".",")" + path + R"("]},"write":{"allow":[".",")" + path + R"("]})";
    World after;
    if (row.kind == kFile) after.files.Put(row.path, File());
    if (row.kind == kFolder) after.files.Put(row.path, Directory());
    after.User(lists);
    CHECK(after.Write(row.path) == "permit");
    CHECK(after.Read(row.path) == "permit");
  }
}

TEST_CASE("fix: a path that a rule asks about is allowed with its question") {
  struct Asked {
    const char* path;
    const char* want;
  };
  for (const Asked& row :
       {Asked{"/home/dev/.bashrc", "~/.bashrc"},
        Asked{"/home/dev/.config/nvim/init.lua", "~/.config/nvim/init.lua"},
        Asked{"/home/dev/.local/bin/x", "~/.local/bin/x"},
        Asked{"/home/dev/other/.git/hooks/post-merge", "~/other/.git/hooks/post-merge"},
        Asked{"/tmp/x/.envrc", "/tmp/x/.envrc"}}) {
    CAPTURE(row.path);
    World world;
    const std::string reason = world.WhyNotWrite(row.path);
    CAPTURE(reason);
    CHECK(Suggested(reason) == std::vector<std::string>{"ringfence", "allow", "--ask", row.want});
    world.User(R"("write":{"ask":["@runs-later",")" + std::string(row.want) + R"("]})");
    CHECK(world.Write(row.path) == "ask");
    // These modes refuse the question. The user can leave auto mode.
    World later;
    later.mode = "bypassPermissions";
    CHECK(Suggested(later.WhyNotWrite(row.path)).empty());
    CHECK(later.WhyNotWrite(row.path).find("ask the user to make this edit.") != std::string::npos);
    later.mode = "auto";
    const std::string refused = later.WhyNotWrite(row.path);
    CHECK(Suggested(refused) == std::vector<std::string>{"ringfence", "allow", "--ask", row.want});
    CHECK(refused.find("` and leave auto mode (Shift+Tab).") != std::string::npos);
  }
  // The next temporary name in the same directory would need another question.
  CHECK(Suggested(World().WhyNotWrite("/home/dev/.config/nvim/init.lua.tmp.4711.1732500000000")) ==
        std::vector<std::string>{"ringfence", "allow", "--ask", "~/.config/nvim"});
  World world;
  world.User(R"("read":{"ask":["@dotenv"]})");
  CHECK(Suggested(world.WhyNotRead("/home/dev/other/.env")) ==
        std::vector<std::string>{"ringfence", "allow", "--read", "--ask", "~/other/.env"});
  // `allow` permits reading, too.
  CHECK(Suggested(world.WhyNotWrite("/home/dev/other/.env")) ==
        std::vector<std::string>{"ringfence", "allow", "--ask", "~/other/.env"});
  // The same file by another name: ~/.config leads elsewhere.
  World linked;
  linked.files.Put("/home/dev/.config", LinkTo("dotfiles"));
  linked.files.Put("/home/dev/dotfiles/nvim/init.lua", File());
  for (const char* name : {"/home/dev/.config/nvim/init.lua", "/home/dev/dotfiles/nvim/init.lua"}) {
    CAPTURE(name);
    CHECK(Suggested(linked.WhyNotWrite(name)) ==
          std::vector<std::string>{"ringfence", "allow", "--ask", "~/dotfiles/nvim/init.lua"});
  }
}

TEST_CASE("fix: a question that is not about a name is foreseen") {
  World world;
  world.files.Put("/home/dev/other/linked", File().Links(2));
  world.files.Put("/home/dev/bare/objects", Directory());
  world.files.Put("/home/dev/bare/refs", Directory());
  for (const char* path : {"~/other/linked", "~/bare/HEAD"}) {
    const std::string whole = "/home/dev" + std::string(path + 1);
    CAPTURE(world.WhyNotWrite(whole));
    CHECK(Suggested(world.WhyNotWrite(whole)) ==
          std::vector<std::string>{"ringfence", "allow", "--ask", path});
    world.mode = "bypassPermissions";
    CHECK(Suggested(world.WhyNotWrite(whole)).empty());
    world.mode = "";
  }
}

struct SandboxRow {
  const char* path;
  FileKind kind;
  const char* want;  // the path to permit; "" for no command
  const char* text;  // the reason's text otherwise
};

constexpr const char* kOutside = " The user must do it, outside the sandbox.";
constexpr const char* kCreate = " It does not exist: the user must create it first,";
constexpr SandboxRow kSandboxRows[] = {
    {"/home/dev/lib/a.c", kFile, "~/lib/a.c", ""},
    {"/home/dev/lib", kFolder, "~/lib", ""},
    {"/var/tmp/z", kFile, "/var/tmp/z", ""},
    {"/home/dev/lib/tmpa1b2c3d4", kFile, "~/lib/tmpa1b2c3d4", ""},
    // `ringfence run` would create a directory with this name.
    {"/home/dev/out.txt", kMissing, "", kCreate},
    {"/home/dev/lib/new.c", kMissing, "", kCreate},
    {"/var/tmp/z", kMissing, "", kCreate},
    {"/home/dev/.gitconfig.lock", kMissing, "", kOutside},
    {"/home/dev/lib/a.c~", kMissing, "", kOutside},
    {"/home/dev/lib/.a.c.swp", kMissing, "", kOutside},
    {"/dev/shm/sem.Xa3k9Q", kMissing, "", kOutside},
    // No process can be asked.
    {"/home/dev/.bashrc", kFile, "", kOutside},
    {"/home/dev", kFolder, "", kOutside},
    {"/usr/bin/dash", kFile, "", kOutside},
    // These names cannot be written in a command.
    {"/home/dev/lib/a\nb", kFile, "", kOutside},
    {"/$x/a", kFile, "", kOutside},
};

std::string WhyNotInSandbox(const World& world, std::string_view path) {
  Event event;
  event.cwd = "/home/dev/project";
  event.in_sandbox = true;
  const CachedFiles files(world.files);
  return WholeReasonText(
      DecidePath(event, path, Access::kWrite, {world.Merged(event), world.places, files}), "");
}

TEST_CASE("fix: the sandbox suggests only what lifts its own refusal") {
  for (const SandboxRow& row : kSandboxRows) {
    CAPTURE(row.path);
    World world;
    if (row.kind == kFile) world.files.Put(row.path, File());
    if (row.kind == kFolder) world.files.Put(row.path, Directory());
    const std::string reason = WhyNotInSandbox(world, row.path);
    CAPTURE(reason);
    CHECK(reason.find(row.text) != std::string::npos);
    if (*row.want == 0) {
      CHECK(Suggested(reason).empty());
    } else {
      CHECK(Suggested(reason) == std::vector<std::string>{"ringfence", "allow", row.want});
    }
  }
  // In the project, a name that does not exist yet may be created.
  World narrow;
  narrow.User(R"("write":{"allow":["src"]})");
  CHECK(Suggested(WhyNotInSandbox(narrow, "/home/dev/project/docs/new.md")) ==
        std::vector<std::string>{"ringfence", "allow", "~/project/docs"});
  // A policy file with this name cannot be written in a command either.
  World named;
  named.files.Put("/home/dev/lib/a.c", File());
  Event event;
  event.in_sandbox = true;
  Policy policy = named.Merged(event);
  policy.named_file = "/home/dev/a\nb.json";
  const CachedFiles files(named.files);
  CHECK(
      WholeReasonText(
          DecidePath(event, "/home/dev/lib/a.c", Access::kWrite, {policy, named.places, files}), "")
          .find(kOutside) != std::string::npos);
  // `allow` does not change the list of a project policy that is not trusted.
  World untrusted;
  untrusted.User(R"("write":{"allow":[".","~/lib"]})");
  untrusted.Project(R"("write":{"allow":["."]})", false);
  untrusted.files.Put("/home/dev/lib/a.c", File());
  CHECK(WhyNotInSandbox(untrusted, "/home/dev/lib/a.c")
            .find("Ask the user to add it to the project's own policy.") != std::string::npos);
}

TEST_CASE("fix: no directory is suggested for a file that no policy can name") {
  for (const char* path : {"/home/dev/$HOME", "/home/dev/trail."}) {
    World world;
    world.files.Put(path, File());
    CAPTURE(world.WhyNotWrite(path));
    CHECK(world.WhyNotWrite(path).find(" Work in \"/home/dev/project\".") != std::string::npos);
  }
}

TEST_CASE("fix: an ambiguous name gets --as") {
  CHECK(ToolWords("Bash", ClaudeCode()) == "Bash");
  CHECK(ToolWords("mcp__a__b", ClaudeCode()) == "mcp__a__b");
  CHECK(ToolWords("SlashCommand", ClaudeCode()) == "--as tool SlashCommand");
  CHECK(ToolWords("mcp__a__b://c", ClaudeCode()) == "--as tool mcp__a__b://c");
  for (const char* tool :
       {"-x", "mcp__s", "mcp__", "W*", "mcp__s__*", "Foo bar", "@known-tools", ""}) {
    CAPTURE(tool);
    CHECK(ToolWords(tool, ClaudeCode()).empty());
  }
  for (const char* host : {"evil.example", "localhost", "127.0.0.1", "registry.npmjs.org"}) {
    CHECK(HostWords(host) == host);
  }
  for (const char* host : {"host", "readme.md", "a_b.example.org"}) {
    CHECK(HostWords(host) == "--as host " + std::string(host));
  }
  CHECK(HostWords("-x").empty());
}

}  // namespace
