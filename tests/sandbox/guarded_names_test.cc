#include "sandbox/guarded_names.h"

#include <doctest/doctest.h>

#include <span>

#include "tests/support/guarded_rules.h"

using namespace ringfence;

namespace {

// The byte sequences of U+200C and U+FEFF, which HFS+ ignores in names.
#define NON_JOINER "\xe2\x80\x8c"
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

}  // namespace

TEST_CASE("guarded names: a fixed name is refused in every spelling, with everything below it") {
  const GuardedNames names = With({Fixed("/home/dev/project", "docs/adr")});
  static constexpr NameRow kRows[] = {
      {"the name", "/home/dev/project/docs/adr", true},
      {"a file below it", "/home/dev/project/docs/adr/0001.md", true},
      {"deep below it", "/home/dev/project/docs/adr/a/b/c", true},
      {"capitals", "/home/dev/project/DOCS/Adr/x", true},
      {"capitals in the folder above", "/home/Dev/PROJECT/docs/adr", true},
      {"a character that HFS+ ignores", "/home/dev/project/docs/a" NON_JOINER "dr", true},
      {"one at the beginning of a name", "/home/dev/project/" BYTE_ORDER_MARK "docs/adr", true},
      {"the folder above", "/home/dev/project/docs", false},
      {"a sibling with the same prefix", "/home/dev/project/docs/adrift", false},
      {"the same name elsewhere", "/home/dev/other/docs/adr", false},
      {"the same name deeper", "/home/dev/project/sub/docs/adr", false},
      {"a shorter name", "/home/dev/project/docs/ad", false},
      {"the root of all", "/", false},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded names: a rule without a tail refuses its directory itself") {
  const GuardedNames names = With({Fixed("/home/dev/.config/ringfence", "")});
  static constexpr NameRow kRows[] = {
      {"the folder", "/home/dev/.config/ringfence", true},
      {"below it", "/home/dev/.config/ringfence/policy.json", true},
      {"capitals", "/home/dev/.CONFIG/RingFence/policy.json", true},
      {"beside it", "/home/dev/.config/ringfences", false},
      {"above it", "/home/dev/.config", false},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded names: a rule at the root refuses the names that it lists") {
  const GuardedNames names = With({Fixed("/", "etc/claude-code")});
  static constexpr NameRow kRows[] = {
      {"the name", "/etc/claude-code", true},
      {"below it", "/etc/claude-code/managed.json", true},
      {"deeper", "/srv/etc/claude-code", false},
      {"the root of all", "/", false},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded names: non-ASCII letters are compared without case") {
  const GuardedNames names = With({Fixed("/home/dev/\xc3\x89tudes", "r\xc3\xa9sum\xc3\xa9")});
  static constexpr NameRow kRows[] = {
      {"as written", "/home/dev/\xc3\x89tudes/r\xc3\xa9sum\xc3\xa9", true},
      {"in the other case", "/home/dev/\xc3\xa9tudes/R\xc3\x89SUM\xc3\x89/x", true},
      {"without accents", "/home/dev/etudes/resume", false},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded names: bytes that are not UTF-8 are refused literally") {
  const GuardedNames names = With({Fixed("/p", "\xff\xfe")});
  CHECK(names.Refuses("/p/\xff\xfe/x") != nullptr);
  CHECK(names.Refuses("/p/\xff\xfd") == nullptr);
}

TEST_CASE("guarded names: a rule for any depth applies at each depth") {
  const GuardedNames names = With({Anywhere("**/.git/hooks"), Anywhere("**/.mcp.json")});
  static constexpr NameRow kRows[] = {
      {"in the project", "/p/.git/hooks", true},
      {"a hook", "/p/.git/hooks/pre-commit", true},
      {"in a repository below", "/p/a/b/c/.git/hooks/pre-commit", true},
      {"at the root of all", "/.git/hooks", true},
      {"outside of the project", "/home/dev/other/.git/hooks/x", true},
      {"a file at the root of all", "/.mcp.json", true},
      {"below such a file", "/p/.mcp.json/x", true},
      {"capitals", "/p/.GIT/Hooks/pre-commit", true},
      {"ignored characters", "/p/.g" NON_JOINER "it/ho" BYTE_ORDER_MARK "oks/x", true},
      {"only ignored characters more", "/p/.mcp.json" NON_JOINER, true},
      {"the repository", "/p/.git", false},
      {"a name that goes on", "/p/.git/hooks.sample", false},
      {"a name that begins before", "/p/x.git/hooks", false},
      {"another folder between", "/p/.git/x/hooks", false},
      {"a name that holds the words", "/p/git/hooks", false},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded names: a pattern for any depth is matched against whole names") {
  const GuardedNames names =
      With({Anywhere("**/.claude/settings*.json"), Anywhere("**/.git/modules/**/hooks"),
            Anywhere("**/*.code-workspace"), Anywhere("**/.git/worktrees/*/commondir")});
  static constexpr NameRow kRows[] = {
      {"the settings", "/p/.claude/settings.json", true},
      {"the local settings", "/p/sub/.claude/settings.local.json", true},
      {"settings in capitals", "/p/.Claude/SETTINGS.LOCAL.JSON", true},
      {"no settings", "/p/.claude/notes.json", false},
      {"a slash is no part of a star", "/p/.claude/settings/x.json", false},
      {"a module's hooks", "/p/.git/modules/lib/hooks/post-checkout", true},
      {"a module of a module", "/p/.git/modules/a/modules/b/hooks", true},
      {"hooks beside modules", "/p/.git/modules/hooks", true},
      {"a module's objects", "/p/.git/modules/lib/objects/ab", false},
      {"a workspace", "/p/deep/er/x.code-workspace", true},
      {"the suffix alone", "/p/.code-workspace", true},
      {"a suffix after it", "/p/x.code-workspace.bak", false},
      {"a worktree's commondir", "/p/.git/worktrees/w/commondir", true},
      {"no worktree in between", "/p/.git/worktrees/commondir", false},
      {"two folders in between", "/p/.git/worktrees/a/b/commondir", false},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded names: a pattern below a directory does not affect other directories") {
  const GuardedNames names = With({Pattern("/p", "src/**/*.key"), Pattern("/p", "[Gg]en/?.pb")});
  static constexpr NameRow kRows[] = {
      {"directly below", "/p/src/a.key", true},
      {"deep below", "/p/src/x/y/z.key", true},
      {"capitals", "/p/SRC/A.KEY", true},
      {"a folder of that name", "/p/src/dir.key/x", true},
      {"another folder", "/p/tests/a.key", false},
      {"another project", "/q/src/a.key", false},
      {"a bracket", "/p/gen/a.pb", true},
      {"a bracket in capitals", "/p/GEN/A.PB", true},
      {"two letters for one", "/p/gen/ab.pb", false},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded names: a pattern's escaped characters are literal") {
  const GuardedNames names = With({Pattern("/", "srv/\\[x]/audit.jsonl.*")});
  CHECK(names.Refuses("/srv/[x]/audit.jsonl.1") != nullptr);
  CHECK(names.Refuses("/srv/x/audit.jsonl.1") == nullptr);
}

TEST_CASE("guarded names: a rule's exception is not refused, in any letter case") {
  GuardedName rule = Fixed("/home/dev", ".claude/projects");
  rule.except = "-home-dev-Project";
  const GuardedNames names = With({rule});
  static constexpr NameRow kRows[] = {
      {"the folder itself", "/home/dev/.claude/projects", true},
      {"another project", "/home/dev/.claude/projects/-home-dev-other/x", true},
      {"this project", "/home/dev/.claude/projects/-home-dev-Project", false},
      {"below it", "/home/dev/.claude/projects/-home-dev-Project/memory/x", false},
      {"in another case", "/home/dev/.claude/projects/-home-dev-project/x", false},
      {"a longer name", "/home/dev/.claude/projects/-home-dev-Projects", true},
      {"its name deeper", "/home/dev/.claude/projects/other/-home-dev-Project", true},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded names: a rule's exception begins where its folded name ends") {
  // The Kelvin sign has three bytes and folds to a one-byte letter.
  GuardedName rule = Fixed("/home/dev", "\xe2\x84\xaa/projects");
  rule.except = "-mine";
  const GuardedNames names = With({rule});
  CHECK(names.Refuses("/home/dev/k/projects/-mine/x") == nullptr);
  CHECK(names.Refuses("/home/dev/k/projects/a-mine/x") != nullptr);
  CHECK(names.Refuses("/home/dev/k/projects/-yours") != nullptr);
}

TEST_CASE("guarded names: a package directory is evaluated by its own name") {
  GuardedNames names;
  names.SetPackageStores({"node_modules", "vendor"}, Path::Clean("/w/vendor/p"));
  names.Refuse({.base = "/",
                .tail = "**/.vscode",
                .has_pattern = true,
                .is_anywhere = true,
                .not_in_stores = true});
  names.Refuse({.base = "/", .tail = "**/.mcp.json", .has_pattern = true, .is_anywhere = true});
  CHECK(names.Refuses("/w/vendor/p/.vscode") != nullptr);
  CHECK(names.Refuses("/w/vendor/p/vendor/.vscode") == nullptr);
  CHECK(names.Refuses("/w/vendor/q/.vscode") == nullptr);
  for (const char* path : {"/p/node_modules/a/.vscode", "/p/node_modules/.vscode/settings.json",
                           "/p/x/vendor/y/.vscode/z"}) {
    CAPTURE(path);
    CHECK(names.Refuses(path) == nullptr);
    CHECK(names.RefusesTree(path).empty());
  }
  for (const char* path : {"/p/.vscode", "/p/.vscode/node_modules/x", "/p/node_modules2/.vscode",
                           "/p/Node_Modules/.vscode", "/p/node_modules/a/.mcp.json"}) {
    CAPTURE(path);
    CHECK(names.Refuses(path) != nullptr);
  }
}

TEST_CASE("guarded names: each of many rules is kept once") {
  constexpr size_t kMany = 3000;
  GuardedNames names;
  const auto add_all = [&names] {
    for (size_t i = 0; i < kMany; ++i) {
      names.Refuse(Fixed("/home/dev/project", "gen/" + std::to_string(i)));
    }
  };
  add_all();
  add_all();
  CHECK(names.rules().size() == kMany);
  GuardedName other = Fixed("/home/dev/project", "gen/7");
  other.why = "for another reason";
  names.Refuse(other);
  CHECK(names.rules().size() == kMany + 1);
  // The rules after a forgotten one are still known.
  names.Forget(Path::Clean("/home/dev/project/gen/0"));
  CHECK(names.rules().size() == kMany);
  CHECK(names.Refuses("/home/dev/project/gen/0") == nullptr);
  names.Refuse(Fixed("/home/dev/project", "gen/2999"));
  CHECK(names.rules().size() == kMany);
  names.Refuse(Fixed("/home/dev/project", "gen/0"));
  CHECK(names.rules().size() == kMany + 1);
  CHECK(names.Refuses("/home/dev/project/gen/0") != nullptr);
}

TEST_CASE("guarded names: a rule is shown as a policy would spell it") {
  CHECK(Fixed("/p", "docs/adr").text() == "/p/docs/adr");
  CHECK(Fixed("/p", "").text() == "/p");
  CHECK(Fixed("/", "etc/x").text() == "/etc/x");
  CHECK(Fixed("/", "").text() == "/");
  CHECK(Anywhere("**/.git/hooks").text() == "**/.git/hooks");
}
