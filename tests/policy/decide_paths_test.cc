// One path argument: its allowed text, and where it leads. The project is /home/dev/project.
#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view name;
  std::string_view path;
  std::string_view read, write;
};

void Check(const World& world, std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.path);
    CHECK(world.Read(row.path) == row.read);
    CHECK(world.Write(row.path) == row.write);
  }
}

constexpr Row kPlain[] = {
    {"a file of the project", "/home/dev/project/README.md", "permit", "permit"},
    {"a new file in a new folder", "/home/dev/project/new/er/x", "permit", "permit"},
    {"relative to the working directory", "src/main.cc", "permit", "permit"},
    {"with a dot in front", "./src/main.cc", "permit", "permit"},
    {"the project itself", "/home/dev/project", "permit", "permit"},
    {"the project as a dot", ".", "permit", "permit"},
    {"with a slash behind", "/home/dev/project/src/", "permit", "permit"},
    {"with doubled slashes and dots", "//home/dev/./project//src/./main.cc", "permit", "permit"},
    {"below the home and in the project", "~/project/README.md", "permit", "permit"},
    {"a name that looks odd and is plain", "a b;c&d'e\"f%20(g).txt", "permit", "permit"},
    {"three dots are a name", ".../x", "permit", "permit"},
    {"a name with a tilde inside", "a~/~b", "permit", "permit"},
    {"a name with a dollar inside", "a$HOME", "permit", "permit"},
    {"a name with an at sign in front", "@scope/pkg", "permit", "permit"},
    {"through a file: the tool's own business", "README.md/x", "permit", "permit"},
    {"white space inside", "my docs/a file.txt", "permit", "permit"},
    {"letters of other scripts", "\xD0\x9F\xD1\x80\xD0\xB8/\xE6\x96\x87.md", "permit", "permit"},
    {"outside", "/etc/passwd", "deny", "deny"},
    {"outside and new", "/etc/cron.d/x", "deny", "deny"},
    {"the folder above", "/home/dev", "deny", "deny"},
    {"the home", "~", "deny", "deny"},
    {"beside, in the home", "~/other/x", "deny", "deny"},
    {"a sibling with the same prefix", "/home/dev/project-secret/x", "deny", "deny"},
    {"a sibling with the same prefix and a dot", "/home/dev/project.bak", "deny", "deny"},
    {"the root of the disk", "/", "deny", "deny"},
    {"the project's name in another case", "/home/dev/PROJECT/x", "deny", "deny"},
};

constexpr Row kDotDot[] = {
    {"up and out", "../../../etc/passwd", "deny", "deny"},
    {"up to the sibling", "../other/x", "deny", "deny"},
    {"up and back", "../project/README.md", "permit", "permit"},
    {"down and up inside", "src/../README.md", "permit", "permit"},
    {"down through what is missing and up", "none/../README.md", "permit", "permit"},
    {"in the middle of an absolute path", "/home/dev/project/../other/x", "deny", "deny"},
    {"home and up", "~/../../etc/passwd", "deny", "deny"},
    {"above the root of the disk", "/../../../../etc/passwd", "deny", "deny"},
    {"at the end", "/home/dev/project/src/..", "permit", "permit"},
    {"at the end and out", "/home/dev/project/..", "deny", "deny"},
    {"with a file in between", "README.md/../src/main.cc", "permit", "permit"},
};

constexpr Row kRefused[] = {
    {"empty", "", "deny", "deny"},
    {"a space in front", " README.md", "deny", "deny"},
    {"a space behind", "README.md ", "deny", "deny"},
    {"a newline behind", "README.md\n", "deny", "deny"},
    {"a tab in front", "\tREADME.md", "deny", "deny"},
    {"a no-break space behind", "README.md\xC2\xA0", "deny", "deny"},
    {"a byte order mark in front", "\xEF\xBB\xBFREADME.md", "deny", "deny"},
    {"an ideographic space behind", "README.md\xE3\x80\x80", "deny", "deny"},
    {"a line separator behind", "README.md\xE2\x80\xA8", "deny", "deny"},
    {"next line, white space by Unicode", "README.md\xC2\x85", "deny", "deny"},
    {"only white space", "   ", "deny", "deny"},
    {"another user's home", "~root/x", "deny", "deny"},
    {"the last directory of a shell", "~-/x", "deny", "deny"},
    {"the current one of a shell", "~+/x", "deny", "deny"},
    {"a tilde and a name", "~dev/project/x", "deny", "deny"},
    {"a variable", "$HOME/project/x", "deny", "deny"},
    {"a variable in braces", "${HOME}/x", "deny", "deny"},
    {"an at sign and a slash", "@/etc/passwd", "deny", "deny"},
    {"a file URL", "file:///home/dev/project/README.md", "deny", "deny"},
    {"a file URL without slashes", "file:README.md", "deny", "deny"},
    {"a file URL in capitals", "FILE:///etc/passwd", "deny", "deny"},
    {"another URL", "https://example.com/x", "deny", "deny"},
    {"a drive", "C:\\Users\\x", "deny", "deny"},
    {"a drive with slashes", "c:/Users/x", "deny", "deny"},
    {"a drive without a slash", "C:x", "deny", "deny"},
    {"UNC", "\\\\server\\share\\x", "deny", "deny"},
    {"a device path", "\\\\?\\C:\\x", "deny", "deny"},
    {"an NT path", "\\??\\C:\\x", "deny", "deny"},
};

constexpr Row kSpecial[] = {
    {"another process's root", "/proc/self/root/home/dev/project/README.md", "deny", "deny"},
    {"a process's working directory", "/proc/self/cwd/README.md", "deny", "deny"},
    {"an environment", "/proc/1/environ", "deny", "deny"},
    {"the folder itself", "/proc", "deny", "deny"},
    {"a descriptor", "/dev/fd/3", "deny", "deny"},
    {"standard input", "/dev/stdin", "deny", "deny"},
    {"a terminal", "/dev/tty", "deny", "deny"},
    {"a disk", "/dev/sda", "deny", "deny"},
    {"memory", "/dev/mem", "deny", "deny"},
    {"bash's sockets", "/dev/tcp/192.0.2.1/80", "deny", "deny"},
    {"with dots on the way", "/home/../proc/./self/environ", "deny", "deny"},
    {"in other letter case", "/PROC/self/environ", "deny", "deny"},
    {"a name that only begins so", "/procs/x", "permit", "permit"},
    {"a name that only begins so, of devices", "/device/x", "permit", "permit"},
    {"nothing to read", "/dev/null", "permit", "permit"},
};

}  // namespace

TEST_CASE("decide: a path is permitted in the project and denied outside") {
  const World world;
  Check(world, kPlain);
}

TEST_CASE("decide: dot-dot is followed both as text and as the kernel does") {
  const World world;
  Check(world, kDotDot);
}

TEST_CASE("decide: trailing dots of names are evaluated both as FAT reads them and literally") {
  World world;
  world.User(R"("read":{"deny":["**/.env","**/odd."]},"write":{"deny":["docs/adr"]})");
  constexpr Row kRows[] = {
      {"settings that do not exist yet", ".claude/settings.local.json.", "permit", "deny"},
      {"in a folder with a dot", ".claude./settings.local.json", "permit", "deny"},
      {"after dot-dot, to be asked about", "src/../.mcp.json..", "permit", "ask"},
      {"denied to be read", "src/.env.", "deny", "permit"},
      {"a denied folder", "docs/adr./x", "permit", "deny"},
      {"a rule with the dot", "odd.", "deny", "permit"},
      {"no rule but that", "odd", "permit", "permit"},
      {"anything else", "src/etc.", "permit", "permit"},
  };
  Check(world, kRows);
}

TEST_CASE("decide: a project whose directory has a name with a trailing dot is usable") {
  for (const char* real : {"/home/dev/Acme Inc./project", "/srv/Acme Inc./project."}) {
    World world;
    world.MoveRoot("/home/dev/Acme Inc./project", real);
    world.files.Put(real, Directory());
    if (real[1] == 's') world.files.Put("/home/dev/Acme Inc./project", LinkTo(real));
    for (const std::string& root :
         {std::string("/home/dev/Acme Inc./project"), std::string(real)}) {
      CAPTURE(root);
      CHECK(world.Write(root + "/src/a.cc") == "permit");
      CHECK(world.Write(root) == "permit");
      CHECK(world.Write(root + "/.claude/settings.local.json.") == "deny");
      CHECK(world.Write(root + "./x") == "deny");
    }
    CHECK(world.Write("/home/dev/Acme Inc./other") == "deny");
  }
}

TEST_CASE("decide: text that the client or a shell would read differently is denied") {
  World world;
  world.User(R"("read":{"allow":["/"]},"write":{"allow":["/"]})");
  Check(world, kRefused);
}

TEST_CASE("decide: views of processes and devices are denied by name under any policy") {
  World world;
  world.User(R"("read":{"allow":["/"],"deny":[]},"write":{"allow":["/"],"deny":[],"ask":[]})");
  Check(world, kSpecial);
}

TEST_CASE("decide: a device is denied wherever it is") {
  World world;
  world.files.Put("/home/dev/project/disk", Special(FileKind::kBlockDevice));
  world.files.Put("/home/dev/project/tty", Special(FileKind::kCharacterDevice));
  world.files.Put("/home/dev/project/to-tty", LinkTo("/dev/tty"));
  world.files.Put("/home/dev/project/to-fd", LinkTo("/proc/self/fd"));
  for (const std::string_view name : {"disk", "tty", "to-tty", "to-fd/3"}) {
    CAPTURE(name);
    CHECK(world.Read(name) == "deny");
    CHECK(world.Write(name) == "deny");
  }
}

TEST_CASE("decide: an argument that cannot be a path is not evaluated as one") {
  const World world;
  for (const char* argument :
       {R"({"file_path":"a\u0000b"})", R"({"file_path":5})", R"({"file_path":"a\ud800"})"}) {
    CAPTURE(argument);
    const Decision decision = world.Decide("Read", argument);
    CHECK(decision.verdict == Verdict::kDeny);
    CHECK(decision.paths.empty());
  }
}

TEST_CASE("decide: NUL in a path is denied with that reason") {
  const World world;
  CHECK(world.Call("Read", R"({"file_path":"README.md\u0000.png"})") == "deny");
  CHECK(world.Call("Write", R"({"file_path":"\u0000"})") == "deny");
  CHECK(world.Call("Glob", R"({"pattern":"*\u0000"})") == "deny");
  CHECK(world.WhyNotRead(std::string_view("a\0b", 3)).find("NUL") != std::string::npos);
}

TEST_CASE("decide: half a character in a path is denied") {
  const World world;
  CHECK(world.Call("Read", R"({"file_path":"a\ud800b"})") == "deny");
  CHECK(world.Call("Read", R"({"file_path":"a\ud83d\ude00b"})") == "permit");
}

TEST_CASE("decide: a path above the length limit is denied") {
  const World world;
  CHECK(world.Read(std::string(255, 'a')) == "permit");
  CHECK(world.Read(std::string(256, 'a')) == "deny");
  std::string deep = "/home/dev/project";
  while (deep.size() < 4095) deep += "/a";
  CHECK(world.Read(deep.substr(0, 4095)) == "permit");
  CHECK(world.Read(deep + "/a") == "deny");
  CHECK(world.Read("/home/dev/project/" + std::string(100000, 'a')) == "deny");
}

TEST_CASE("decide: relative text starts at the event's working directory, which is not a root") {
  World world;
  world.cwd = "/home/dev/project/src";
  CHECK(world.Read("main.cc") == "permit");
  CHECK(world.Read("../README.md") == "permit");
  CHECK(world.Read("../../other") == "deny");
  world.cwd = "/home/dev/elsewhere";
  CHECK(world.Read("main.cc") == "deny");
  CHECK(world.Read("/home/dev/project/README.md") == "permit");
  world.cwd.reset();
  CHECK(world.Read("README.md") == "deny");
  CHECK(world.Read("/home/dev/project/README.md") == "permit");
}

TEST_CASE("decide: a working directory with dot-dot or links is resolved as well") {
  World world;
  world.files.Put("/home/dev/project/out", LinkTo("/srv/data/deep"));
  world.files.Put("/srv/data/deep", Directory());
  world.cwd = "/home/dev/project/out";
  CHECK(world.Read("x") == "deny");
  CHECK(world.Read("../README.md") == "deny");  // the kernel goes to /srv/data
  world.cwd = "/home/dev/project/src/..";
  CHECK(world.Read("README.md") == "permit");
}

TEST_CASE("decide: without a known home a tilde has no meaning") {
  World world;
  world.NoHome();
  CHECK(world.Read("~/project/README.md") == "deny");
  CHECK(world.WhyNotRead("~/x").find("no home") != std::string::npos);
  CHECK(world.Read("README.md") == "permit");
}

TEST_CASE("decide: if HOME differs from the registered home, both must be inside") {
  World world;
  world.files.Put("/home/other", Directory());
  world.AddHome("/home/other");
  CHECK(world.Read("~/project/README.md") == "deny");
  world.User(R"("read":{"allow":[".","/home/other/project"]})");
  CHECK(world.Read("~/project/README.md") == "permit");
  CHECK(world.Read("~/x") == "deny");
}

TEST_CASE("decide: the home in /etc/passwd also denies, and allows nothing in addition to HOME") {
  World world;
  world.files.Put("/home/other/notes/a", File());
  world.files.Put("/home/dev/notes/a", File());
  world.AddHome("/home/other");
  world.places.deny_only_homes = {Path::Clean("/home/other")};
  world.User(R"("read":{"allow":[".","/home/other","~/notes"]},)"
             R"("write":{"allow":[".","~/notes"],"deny":["~/notes/keep"]})");
  CHECK(world.Read("/home/other/.ssh/id_rsa") == "deny");
  CHECK(world.Read("/home/other/x") == "permit");
  CHECK(world.Write("/home/dev/notes/a") == "permit");
  CHECK(world.Write("/home/dev/notes/keep") == "deny");
  CHECK(world.Write("/home/other/notes/a") == "deny");
  CHECK(world.Write("/home/other/.config/ringfence/policy.json") == "deny");
  // Programs can expand "~" to either home: both must be inside.
  CHECK(world.Write("~/notes/a") == "permit");
  CHECK(world.Write("~/project/x") == "deny");
  CHECK(world.Write("/home/dev/project/x") == "permit");
  CHECK(world.WhyNotWrite("~/project/x").find("Use an absolute path: HOME and /etc/passwd") !=
        std::string::npos);
  CHECK(world.WhyNotWrite("~/.ssh/x").find("Use an absolute path") == std::string::npos);
}

TEST_CASE("decide: a home that does not exist does not deny everything") {
  World world;
  world.MoveHome("/nonexistent", "/nonexistent");
  CHECK(world.Read("README.md") == "permit");
  CHECK(world.Write("src/main.cc") == "permit");
  CHECK(world.Read("~/.ssh/id_rsa") == "deny");
}

TEST_CASE("decide: a path that cannot be resolved is denied with the reason") {
  World world;
  world.files.Put("/home/dev/project/loop", LinkTo("loop"));
  world.files.Put("/home/dev/project/a", LinkTo("b"));
  world.files.Put("/home/dev/project/b", LinkTo("a"));
  world.files.Put("/home/dev/project/locked", UnreadableDirectory());
  CHECK(world.WhyNotRead("loop").find("too many links") != std::string::npos);
  CHECK(world.WhyNotRead("a/x").find("too many links") != std::string::npos);
  CHECK(world.WhyNotRead("locked/x").find("cannot be seen") != std::string::npos);
  CHECK(world.WhyNotWrite("locked/x").find("cannot be seen") != std::string::npos);
  CHECK(world.Read("locked") == "permit");
}
