// A policy's lists applied to paths: allow, ask, deny, patterns, sets, letter case.
#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view path, want;
};

void CheckReads(const World& world, std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CHECK(world.Read(row.path) == row.want);
  }
}

void CheckWrites(const World& world, std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.path);
    CHECK(world.Write(row.path) == row.want);
  }
}

}  // namespace

TEST_CASE("decide: an allow list permits exactly its entries, as written") {
  World world;
  world.User(R"("read":{"allow":["src","~/notes","/srv/data/*/pub","docs/**/*.md"],"deny":[]})");
  static constexpr Row kRows[] = {
      {"src", "permit"},
      {"src/main.cc", "permit"},
      {"src/a/b/c", "permit"},
      {"srcs/x", "deny"},
      {"SRC/main.cc", "deny"},
      {"README.md", "deny"},
      {"~/notes/x", "permit"},
      {"/home/dev/notes", "permit"},
      {"/home/dev/notes2", "deny"},
      {"/srv/data/a/pub/x", "permit"},
      {"/srv/data/a/b/pub", "deny"},
      {"/srv/data/pub", "deny"},
      {"docs/a.md", "permit"},
      {"docs/x/y/a.md", "permit"},
      {"docs/x/y/a.txt", "deny"},
  };
  CheckReads(world, kRows);
  CHECK(world.Write("README.md") == "permit");  // the other list is not affected
}

TEST_CASE("decide: a deny list wins, in any letter case, for everything below") {
  World world;
  world.User(R"("write":{"deny":["docs/adr","**/.env","/srv/x","~/Private","b*d","Übung"]},
                "read":{"allow":["/"]})");
  static constexpr Row kRows[] = {
      {"docs/adr", "deny"},
      {"docs/adr/0001.md", "deny"},
      {"Docs/ADR/0001.md", "deny"},
      {"docs/adr.md", "permit"},
      {"docs", "permit"},
      {".env", "deny"},
      {"a/b/.ENV", "deny"},
      {"a/.env/x", "deny"},
      {".envrc2", "permit"},
      {"x.env", "permit"},
      {"bide", "permit"},
      {"bad", "deny"},
      {"BAD/x", "deny"},
      {"a/bad", "permit"},
      {"\xC3\x9C"
       "bung/x",
       "deny"},
      {"\xC3\xBC"
       "bung",
       "deny"},
      {"doc\xC5\xBF/adr", "deny"},  // long s: Docs on a disk that folds case
      {"docs/a\xE2\x80\x8B"
       "dr",
       "deny"},  // a zero-width space, ignored by HFS+
  };
  CheckWrites(world, kRows);
  CHECK(world.Read("docs/adr/0001.md") == "permit");
}

TEST_CASE("decide: dots and slashes around an entry do not change it") {
  for (const std::string_view entry : {"docs/adr/", "./docs/adr", "docs//adr", "docs/./adr/.",
                                       "~/project/docs/adr/", "//home/dev/project/docs/adr//"}) {
    CAPTURE(entry);
    World world;
    world.User(R"("write":{"deny":[")" + std::string(entry) + R"("]})");
    CHECK(world.Write("docs/adr") == "deny");
    CHECK(world.Write("docs/adr/x") == "deny");
    CHECK(world.Write("docs/x") == "permit");
  }
}

TEST_CASE("decide: a project whose name looks like a pattern matches only itself") {
  World world;
  world.files.Put("/home/dev/[a]*/x", File());
  world.MoveRoot("/home/dev/[a]*", "/home/dev/[a]*");
  world.cwd = "/home/dev/[a]*";
  world.User(R"("write":{"deny":["gen"]})");
  CHECK(world.Write("x") == "permit");
  CHECK(world.Write("gen/x") == "deny");
  CHECK(world.Read("/home/dev/a/x") == "deny");
  CHECK(world.Read("/home/dev/ab/x") == "deny");
}

TEST_CASE("decide: a denied name also counts before dots are removed and links are followed") {
  World world;
  world.files.Put("/home/dev/project/open", LinkTo("src"));
  world.User(R"("read":{"deny":["open","closed"]})");
  CHECK(world.Read("open/main.cc") == "deny");  // as written
  CHECK(world.Read("src/main.cc") == "deny");   // after resolution
  CHECK(world.Read("closed/../README.md") == "deny");
}

TEST_CASE("decide: a question about a set names the entry") {
  World world;
  world.AddFile(Layer::kUser,
                R"({"version":1,"read":{"allow":["/"],"ask":["@secrets"],"deny":[]}})");
  const Decision decision = world.Decide("Read", PathInput("/home/dev/.ssh/id_rsa"));
  CHECK(decision.verdict == Verdict::kAsk);
  CHECK(ReasonText(decision, "").find("asks about \"@secrets\" (~/.ssh)") != std::string::npos);
}

TEST_CASE("decide: an ask entry with a path permits with a question") {
  World world;
  world.User(R"("read":{"ask":["~/src/lib","src/gen","/srv/*/x"]},"write":{"ask":["~/src/lib"]})");
  CHECK(world.Read("~/src/lib/a.h") == "ask");
  CHECK(world.Read("~/SRC/lib/a.h") == "deny");  // asks in any case, permits only as written
  CHECK(world.Read("/srv/a/x/y") == "ask");
  CHECK(world.Read("src/gen/a") == "ask");
  CHECK(world.Read("src/GEN/a") == "ask");
  CHECK(world.Read("src/main.cc") == "permit");
  CHECK(world.Read("~/src/other") == "deny");
  CHECK(world.Write("~/src/lib/a.h") == "ask");
  CHECK(world.Write("/srv/a/x/y") == "deny");
}

TEST_CASE("decide: an ask entry that matches anywhere, or a set, only adds the question") {
  World world;
  world.User(R"("read":{"ask":["**/*.key","@toolchains"]},"write":{"ask":["**/Makefile"]})");
  CHECK(world.Read("a/b/c.key") == "ask");
  CHECK(world.Read("/etc/ssl/c.key") == "deny");
  CHECK(world.Read("/usr/include/stdio.h") == "deny");
  CHECK(world.Write("Makefile") == "ask");
  CHECK(world.Write("sub/makefile") == "ask");
  CHECK(world.Write("/srv/Makefile") == "deny");
}

TEST_CASE("decide: deny beats ask beats allow") {
  World world;
  world.User(R"("read":{"allow":[".","a"],"ask":["a"],"deny":["a/b"]})");
  CHECK(world.Read("a/x") == "ask");
  CHECK(world.Read("a/b/x") == "deny");
  CHECK(world.Read("c") == "permit");
}

TEST_CASE("decide: missing sections are as in the built-in policy") {
  World world;
  world.User(R"("tools":{"deny":["WebSearch"]})");
  CHECK(world.Read("README.md") == "permit");
  CHECK(world.Read("~/.ssh/id_rsa") == "deny");
  CHECK(world.Write(".envrc") == "ask");
  CHECK(world.Call("Bash", R"({"command":"x","dangerouslyDisableSandbox":true})") == "deny");
}

TEST_CASE("decide: missing keys beside others are as in the built-in policy") {
  World world;
  world.User(R"("read":{"allow":[".","~"]},"write":{"allow":[".","~"]})");
  CHECK(world.Read("~/x") == "permit");
  CHECK(world.Read("~/.ssh/id_rsa") == "deny");
  CHECK(world.Write("~/.ssh/id_rsa") == "deny");
  CHECK(world.Write(".envrc") == "ask");
  CHECK(world.Write("~/.bashrc") == "ask");
}

TEST_CASE("decide: the user's lists extend the built-in ones, empty lists replace them") {
  World adds;
  adds.User(R"("read":{"allow":[".","~"],"deny":["x"]},"write":{"ask":["y"],"deny":["x"]})");
  CHECK(adds.Read("~/.ssh/id_rsa") == "deny");
  CHECK(adds.Read("x") == "deny");
  CHECK(adds.Write(".envrc") == "ask");
  CHECK(adds.Write("y") == "ask");
  World empty;
  empty.User(R"("read":{"allow":[".","~"],"deny":[]},"write":{"ask":[]})");
  CHECK(empty.Read("~/.ssh/id_rsa") == "permit");
  CHECK(empty.Write(".envrc") == "permit");
  CHECK(empty.Write(".git/hooks/pre-commit") == "permit");
  CHECK(empty.Write("~/.ssh/id_rsa") == "deny");
}

TEST_CASE("decide: deny \"/\" denies everything") {
  World world;
  world.User(R"("read":{"deny":["/"]},"write":{"deny":["."]})");
  CHECK(world.Read("README.md") == "deny");
  CHECK(world.Read("/etc/passwd") == "deny");
  CHECK(world.Write("README.md") == "deny");
  CHECK(world.Write("/home/dev/project") == "deny");
}

TEST_CASE("decide: an existing file with several hard links asks before a write") {
  World world;
  world.files.Put("/home/dev/project/linked", File().Links(2));
  world.files.Put("/home/dev/project/node_modules/a/index.js", File().Links(9));
  world.files.Put("/home/dev/project/store/a/x", File().Links(9));
  world.files.Put("/home/dev/project/node_modules2/x", File().Links(2));
  world.files.Put("/home/dev/project/folder", Directory().Links(5));
  CHECK(world.Read("linked") == "permit");
  CHECK(world.Write("linked") == "ask");
  CHECK(world.Write("node_modules/a/index.js") == "permit");
  CHECK(world.Write("node_modules2/x") == "ask");
  CHECK(world.Write("store/a/x") == "ask");
  CHECK(world.Write("folder") == "permit");
  CHECK(world.WhyNotWrite("linked").find("2 hard links") != std::string::npos);
  world.User(R"("write":{"package_stores":["store"]})");
  CHECK(world.Write("store/a/x") == "permit");
  CHECK(world.Write("node_modules/a/index.js") == "permit");
}

TEST_CASE("decide: developer files inside packages are not asked about") {
  World world;
  for (const char* name : {"node_modules/a/.vscode/settings.json", "node_modules/a/.envrc",
                           "node_modules/@s/a/.github/workflows/ci.yml"}) {
    CAPTURE(name);
    CHECK(world.Write(name) == "permit");
  }
  for (const char* name :
       {".vscode/settings.json", "a/.envrc", ".husky/node_modules/x", "node_modules2/a/.vscode/x",
        "node_modules/a/.mcp.json", "node_modules/a/.claude/commands/x.md", "vendor/a/.envrc"}) {
    CAPTURE(name);
    CHECK(world.Write(name) == "ask");
  }
  world.User(R"("write":{"package_stores":["vendor"]})");
  CHECK(world.Write("vendor/a/.envrc") == "permit");
  world.User(R"("write":{"package_stores":["project"]})");  // the project directory itself
  CHECK(world.Write("a/.envrc") == "ask");
  world.User(R"("write":{"ask":["**/.envrc"]})");  // a rule of the user
  CHECK(world.Write("node_modules/a/.envrc") == "ask");
}

TEST_CASE("decide: a reason names the rule, its file and line, and what to do instead") {
  World world;
  world.User(
      "\n\"write\":{\n  \"allow\":[\"src\"],\n  \"deny\":[\"src/gen\",\"@secrets\"],\n"
      "  \"ask\":[\"src/api\"]\n}");
  CHECK(
      world.WhyNotWrite("src/gen/x") ==
      R"(ringfence: write to "src/gen/x" refused: denied by "src/gen". Rule: policy.json:4 /write/deny.)");
  CHECK(world.WhyNotWrite("src/api/x") ==
        R"(ringfence: write to "src/api/x" needs the user's approval: the policy asks about )"
        R"("src/api". Rule: policy.json:5 /write/ask.)");
  CHECK(world.WhyNotWrite("/etc/hosts") ==
        R"(ringfence: write to "/etc/hosts" refused: outside the project. Ask the user to run )"
        R"(`ringfence allow /etc/hosts`. Rule: policy.json:3 /write/allow.)");
  CHECK(world.WhyNotWrite("~/.ssh/id_rsa") ==
        R"(ringfence: write to "~/.ssh/id_rsa" refused: denied by "@secrets" (~/.ssh). )"
        R"(Rule: policy.json:4 /write/deny.)");
}

TEST_CASE("decide: foreign text in a reason is quoted, escaped and truncated") {
  World world;
  const std::string hostile = "/etc/\"}\n\xE2\x80\xAE" + std::string(3000, 'x');
  const std::string reason = world.WhyNotRead(hostile);
  CHECK(reason.size() <= 1024);
  CHECK(reason.find('\n') == std::string::npos);
  CHECK(reason.find("\xE2\x80\xAE") == std::string::npos);
  CHECK(reason.starts_with(R"(ringfence: read of "/etc/\"}\n\u202e)"));
}

TEST_CASE(
    "decide: a remedy quotes the path to allow, and offers no name that a policy cannot contain") {
  World world;
  for (const std::string_view path : {"/etc/a $(id)", "/etc/a b", "/etc/;x", "/etc/-rf x"}) {
    CAPTURE(path);
    CHECK(world.WhyNotRead(path).find("`ringfence allow --read '" + std::string(path) + "'`.") !=
          std::string::npos);
  }
  for (const std::string_view path : {"/etc/$(id)", "/etc/`x`", "/-rf"}) {
    CAPTURE(path);
    CHECK(world.WhyNotRead(path).find("ringfence allow") == std::string::npos);
  }
}

TEST_CASE("decide: a non-ASCII pattern ignores letter case in a deny list") {
  World world;
  world.User(R"("read":{"deny":["geheim/Ä*/x","Öl"]})");
  static constexpr Row kRows[] = {
      {"geheim/Äpfel/x", "deny"},
      {"geheim/äpfel/x", "deny"},
      {"GEHEIM/äpfel/X/y", "deny"},
      {"öl", "deny"},
      {"ÖL/x", "deny"},
      {"geheim/apfel/x", "permit"},
      {"Oel", "permit"},
  };
  CheckReads(world, kRows);
}
