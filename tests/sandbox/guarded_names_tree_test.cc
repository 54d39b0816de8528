// GuardedNames::RefusesTree(): names that appear because a parent directory is renamed, or because
// a link gives the names below it a second path.
#include <doctest/doctest.h>

#include <span>

#include "tests/support/guarded_rules.h"

using namespace ringfence;

namespace {

// A small version of the built-in policy's guarded names.
GuardedNames Usual() {
  GuardedNames names;
  for (const char* tail : {"**/.git/hooks", "**/.git/config", "**/.git/modules/**/hooks",
                           "**/.git/worktrees/*/commondir", "**/.mcp.json", "**/.cursor/mcp.json",
                           "**/.github/workflows", "**/.vscode", "**/*.code-workspace",
                           "**/.claude/settings*.json", "**/.claude/commands", "**/.ringfence"}) {
    names.Refuse(Anywhere(tail));
  }
  names.Refuse({.base = "/p", .tail = "docs/adr/accepted"});
  names.Refuse({.base = "/p", .tail = "src/**/*.key", .has_pattern = true});
  names.Refuse({.base = "/p/real/place", .tail = ""});
  names.Refuse({.base = "/", .tail = "home/dev/.local/audit.jsonl.*", .has_pattern = true});
  return names;
}

// Each hit as "rule -> what must exist below", or "" if there is none.
std::string Hits(const GuardedNames& names, std::string_view path) {
  std::string text;
  for (const GuardedNames::TreeHit& hit : names.RefusesTree(path)) {
    if (!text.empty()) text += ", ";
    text += hit.rule->text();
    if (!hit.rest.empty()) text += " -> " + hit.rest;
  }
  return text;
}

struct Row {
  std::string_view name;
  std::string_view path;
  std::string_view want;
};

void CheckRows(const GuardedNames& names, std::span<const Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(Hits(names, row.path) == row.want);
  }
}

bool Refused(const GuardedNames& names, std::string_view path) {
  return !names.RefusesTree(path).empty();
}

}  // namespace

TEST_CASE("guarded trees: a directory or a link that is refused by its own name") {
  static constexpr Row kRows[] = {
      {"the hooks", "/p/.git/hooks", "**/.git/hooks"},
      {"a name at any depth", "/p/a/b/.vscode", "**/.vscode"},
      {"below a refused one", "/p/.vscode/x", "**/.vscode"},
      {"a fixed name", "/p/docs/adr/accepted", "/p/docs/adr/accepted"},
      {"a pattern's", "/p/src/x/dir.key", "/p/src/**/*.key"},
      {"a rule's own base", "/p/real/place", "/p/real/place"},
  };
  CheckRows(Usual(), kRows);
}

TEST_CASE("guarded trees: a directory or a link whose name begins a rule for any depth") {
  const GuardedNames names = Usual();
  for (const std::string_view path :
       {"/p/.git", "/p/a/b/.git", "/.git", "/p/.GIT", "/p/.gi\xe2\x80\x8ct", "/p/.claude",
        "/p/x/.claude", "/p/x/.Claude", "/p/x/.github", "/p/.cursor", "/p/.git/modules",
        "/p/.git/modules/lib", "/p/.git/modules/lib/modules/other", "/p/.git/worktrees",
        "/p/.git/worktrees/w", "/elsewhere/.git"}) {
    CAPTURE(path);
    CHECK(Refused(names, path));
  }
  // The name alone decides: the rest can be created later.
  for (const GuardedNames::TreeHit& hit : names.RefusesTree("/p/sub/.git")) {
    CHECK(hit.rest.empty());
  }
}

TEST_CASE("guarded trees: a directory above a fixed rule, with the rest that must exist") {
  static constexpr Row kRows[] = {
      {"two names above", "/p/docs", "/p/docs/adr/accepted -> adr/accepted"},
      {"one name above", "/p/docs/adr", "/p/docs/adr/accepted -> accepted"},
      {"another case", "/p/Docs", "/p/docs/adr/accepted -> adr/accepted"},
      {"above a base", "/p/real", "/p/real/place -> place"},
      {"above the audit log", "/home/dev/.local", "/home/dev/.local/audit.jsonl.*"},
  };
  CheckRows(Usual(), kRows);
}

TEST_CASE("guarded trees: the project's own directory contains every rule of the project") {
  GuardedNames names;
  names.Refuse({.base = "/home/dev/p", .tail = "docs/adr"});
  names.Refuse({.base = "/home/dev/p", .tail = "*.key", .has_pattern = true});
  static constexpr Row kRows[] = {
      {"itself", "/home/dev/p", "/home/dev/p/docs/adr -> docs/adr, /home/dev/p/*.key"},
      {"above it", "/home/dev", "/home/dev/p/docs/adr -> p/docs/adr, /home/dev/p/*.key -> p"},
      {"the root of all", "/",
       "/home/dev/p/docs/adr -> home/dev/p/docs/adr, /home/dev/p/*.key -> home/dev/p"},
      {"beside it", "/home/dev/q", ""},
      {"with the same prefix", "/home/dev/p2", ""},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded trees: a pattern with ** in the middle begins at every directory below") {
  const GuardedNames names = Usual();
  for (const std::string_view path : {"/p/src", "/p/src/a", "/p/src/a/b/c", "/p/SRC/a"}) {
    CAPTURE(path);
    CHECK(Hits(names, path) == "/p/src/**/*.key");
  }
}

TEST_CASE("guarded trees: a pattern's directories are matched name by name") {
  GuardedNames names;
  names.Refuse({.base = "/p", .tail = "gen-*/[ab]/out.*", .has_pattern = true});
  static constexpr Row kRows[] = {
      {"the first name", "/p/gen-1", "/p/gen-*/[ab]/out.*"},
      {"the second", "/p/gen-1/a", "/p/gen-*/[ab]/out.*"},
      {"in another case", "/p/GEN-1/A", "/p/gen-*/[ab]/out.*"},
      {"all of them", "/p/gen-1/b/out.x", "/p/gen-*/[ab]/out.*"},
      {"another first name", "/p/src", ""},
      {"another second name", "/p/gen-1/c", ""},
      {"the names deeper", "/p/x/gen-1", ""},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded trees: harmless directories may be moved freely") {
  const GuardedNames names = Usual();
  for (const std::string_view path : {"/p/lib",
                                      "/p/node_modules",
                                      "/p/node_modules/.bin",
                                      "/p/build",
                                      "/p/a/b",
                                      "/p/git",
                                      "/p/hooks",
                                      "/p/x/hooks",
                                      "/p/config",
                                      "/p/.gitx",
                                      "/p/claude",
                                      "/p/.github-old",
                                      "/p/adr",
                                      "/p/docs2",
                                      "/p/sub/docs",
                                      "/p/doc",
                                      "/p/.git/objects",
                                      "/p/.git/objects/pack",
                                      "/p/.git/refs/heads",
                                      "/p/.git/lfs",
                                      "/p/real2",
                                      "/p/workflows",
                                      "/p/modules/lib",
                                      "/elsewhere/docs",
                                      "/home/dev/.cache"}) {
    CAPTURE(path);
    CHECK(Hits(names, path) == "");
  }
}

TEST_CASE("guarded trees: a rule of one name begins with no directory name") {
  GuardedNames names;
  names.Refuse(Anywhere("**/.env"));
  names.Refuse(Anywhere("**/*.pem"));
  CHECK(Hits(names, "/p/src") == "");
  CHECK(Hits(names, "/p/.env") == "**/.env");
}

TEST_CASE("guarded trees: nothing is refused in a private directory") {
  GuardedNames names = Usual();
  names.Exempt(Path::Clean("/tmp"));
  CHECK(Hits(names, "/tmp/clone/.git") == "");
  CHECK(Hits(names, "/tmp/.claude") == "");
}

TEST_CASE("guarded trees: a host directory kept in a private one is guarded there") {
  GuardedNames names = Usual();
  names.Exempt(Path::Clean("/tmp"));
  names.KeepHost(Path::Clean("/tmp/a/project"));
  CHECK(Refused(names, "/tmp/a/project/.git"));
  CHECK_FALSE(Refused(names, "/tmp/a/project/src"));
}

TEST_CASE("guarded trees: a private directory above a kept directory of the host is not moved") {
  // After mv /tmp/a /tmp/b, the host's hooks have a name in /tmp at which nothing is refused.
  GuardedNames names = Usual();
  names.Exempt(Path::Clean("/tmp"));
  names.KeepHost(Path::Clean("/tmp/a/project"));
  CHECK(Refused(names, "/tmp/a"));
  CHECK_FALSE(Refused(names, "/tmp/b"));
}

// Files that a session keeps in /tmp have another name on the host, to which a ".git" file or a
// link in the project may lead other users.
TEST_CASE("guarded trees: git's rules apply in the session's own kept directory") {
  GuardedNames names = Usual();
  names.Refuse({.base = "/", .tail = "tmp/docs"});
  names.AllowOnly({{.base = "/p"}});
  names.GuardBareRepositories("bare");
  names.AddOwn(Path::Clean("/tmp"));
  CHECK(Refused(names, "/tmp/clone/.git"));
  CHECK(names.Refuses("/tmp/clone/.git/hooks/pre-commit") != nullptr);
  CHECK(names.GuardsRepositories("/tmp/clone"));
  CHECK(names.Refuses("/tmp/crate/.github/workflows/x.yml") == nullptr);
  CHECK_FALSE(Refused(names, "/tmp/docs"));
  CHECK(names.Refuses("/tmp/docs/x") == nullptr);
  CHECK(names.Refuses("/elsewhere") != nullptr);
}

TEST_CASE("guarded trees: no directory moves above a path that may not be read") {
  GuardedNames names;
  names.HoldInPlace(Path::Clean("/p/Conf/keys/a.key"), "why");
  CHECK(Hits(names, "/p/conf") == "/p/Conf/keys/a.key -> keys/a.key");
  CHECK(Hits(names, "/p/conf/keys") == "/p/Conf/keys/a.key -> a.key");
  CHECK(Hits(names, "/p/conf/keys/a.key") == "/p/Conf/keys/a.key");
  CHECK(Hits(names, "/p/conf2") == "");
  CHECK(names.Refuses("/p/conf/keys/a.key") == nullptr);
  CHECK(names.Holds("/p/conf/keys/A.key") != nullptr);
  CHECK(names.Holds("/p/conf/keys") == nullptr);
  CHECK(names.HoldsBelow("/p/conf/keys/a.key") != nullptr);
  CHECK(names.HoldsBelow("/p") != nullptr);
  CHECK(names.HoldsBelow("/p/conf/keys/a.key/b") == nullptr);
  CHECK(names.HoldsBelow("/p/con") == nullptr);
}

TEST_CASE("guarded trees: a rule of many names takes at most quadratic time") {
  GuardedNames names;
  std::string tail = "zz";
  for (int i = 0; i < 60; ++i) tail = "**/" + tail;
  names.Refuse(Anywhere(tail));
  std::string path = "/p";
  for (int i = 0; i < 1000; ++i) path += "/d";
  CHECK(Refused(names, path));  // a matching name may exist below
  names = GuardedNames();
  names.Refuse(Anywhere(tail.substr(0, tail.size() - 2) + "x/zz"));
  CHECK(Refused(names, path));
}

TEST_CASE("guarded trees: a directory that no allow list covers is refused") {
  GuardedNames names;
  names.AllowOnly({{.base = "/p", .tail = "src/*.d", .has_pattern = true}});
  CHECK(Refused(names, "/p/src/x"));
  CHECK_FALSE(Refused(names, "/p/src/x.d"));
  CHECK_FALSE(Refused(names, "/p/src/x.d/y"));
}

TEST_CASE("guarded trees: a rule's exception may be moved") {
  GuardedNames names;
  names.Refuse({.base = "/home/dev", .tail = ".claude/projects", .except = "-p"});
  CHECK_FALSE(Refused(names, "/home/dev/.claude/projects/-p"));
  CHECK_FALSE(Refused(names, "/home/dev/.claude/projects/-p/memory"));
  CHECK(Hits(names, "/home/dev/.claude") == "/home/dev/.claude/projects -> projects");
  CHECK(Refused(names, "/home/dev/.claude/projects/-q"));
}
