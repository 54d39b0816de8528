// GuardedNames: allow lists, private directories, and the rule that is reported.
#include <doctest/doctest.h>

#include <span>

#include "tests/support/guarded_rules.h"

using namespace ringfence;

TEST_CASE("guarded names: in a private directory only the host's kept directories are guarded") {
  GuardedNames names = With({Anywhere("**/.git/hooks")});
  names.Exempt(Path::Clean("/tmp"));
  names.KeepHost(Path::Clean("/tmp/a/project"));
  static constexpr NameRow kRows[] = {
      {"a private repository", "/tmp/clone/.git/hooks/x", false},
      {"at the top", "/tmp/.git/hooks", false},
      {"the host's project", "/tmp/a/project/.git/hooks", true},
      {"below the host's project", "/tmp/a/project/sub/.git/hooks/x", true},
      {"beside the host's project", "/tmp/a/projects/.git/hooks", false},
      {"above the host's project", "/tmp/a/.git/hooks", false},
      {"a folder with the same prefix", "/tmpfs/.git/hooks", true},
      {"another case is another folder", "/TMP/.git/hooks", true},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded names: a path needs an entry of every list") {
  GuardedNames names;
  names.AllowOnly({Pattern("/p", "src/**/*.cc"), Fixed("/p", "docs"), Fixed("/state", "")});
  names.AllowOnly({Fixed("/p", ""), Fixed("/state", "")});
  names.AllowOnly({Pattern("/p", "*/a*"), Pattern("/p", "*/x/**"), Fixed("/state", "")});
  static constexpr NameRow kRows[] = {
      {"in all lists", "/p/src/a.cc", false},
      {"in all lists, deeper", "/p/src/x/y.cc", false},
      {"a fixed entry and patterns", "/p/docs/a.md", false},
      {"below what a pattern matches", "/p/docs/adir/b", false},
      {"not in the third", "/p/src/b.cc", true},
      {"not in the first", "/p/src/a.h", true},
      {"not in the second", "/q/src/a.cc", true},
      {"in another case", "/p/SRC/a.cc", true},
      {"a suffix in another case", "/p/src/a.CC", true},
      {"an ignored character",
       "/p/src/a.c\xe2\x80\x8c"
       "c",
       true},
      {"a plain place in all lists", "/state/x", false},
      {"beside it", "/states", true},
      {"the project itself", "/p", true},
  };
  CheckRows(names, kRows);
  CHECK(names.Refuses("/p/src/a.h") == &NotAllowedRule());
  CHECK_FALSE(NotAllowedRule().why.empty());
}

TEST_CASE("guarded names: an entry of an allow list may be the root of all names") {
  GuardedNames names;
  names.AllowOnly({Fixed("/", "")});
  CHECK(names.Refuses("/etc/x") == nullptr);
  names.AllowOnly({Pattern("/", "srv/*")});
  CHECK(names.Refuses("/etc/x") != nullptr);
  CHECK(names.Refuses("/srv/x/y") == nullptr);
}

TEST_CASE("guarded names: an empty allow list allows nothing") {
  GuardedNames names;
  names.AllowOnly({});
  CHECK(names.Refuses("/p/x") != nullptr);
}

TEST_CASE("guarded names: a refused name stays refused if a list allows it") {
  GuardedNames names = With({Anywhere("**/.git/hooks")});
  names.AllowOnly({Fixed("/p", "")});
  const GuardedName* rule = names.Refuses("/p/.git/hooks/x");
  REQUIRE(rule != nullptr);
  CHECK(rule->why == "anywhere");
}

TEST_CASE(
    "guarded names: an unconditional rule is reported before one that exempts new repositories") {
  GuardedName gits = Anywhere("**/.git/config");
  gits.unless_new = true;
  const GuardedNames names = With({gits, Fixed("/p", "sub/.git/config")});
  const GuardedName* rule = names.Refuses("/p/sub/.git/config");
  REQUIRE(rule != nullptr);
  CHECK_FALSE(rule->unless_new);
}

TEST_CASE("guarded names: all conditional rules are reported, since each must be satisfied") {
  GuardedName gits = Anywhere("**/.git/config");
  gits.unless_new = true;
  GuardedName editors = Anywhere("**/.vscode");
  editors.unless_new = editors.not_in_stores = true;
  const GuardedNames names = With({editors, gits});
  CHECK(names.AllThatRefuse("/p/new/.vscode/.git/config").size() == 2);
  CHECK(names.AllThatRefuse("/p/new/.git/config").size() == 1);
  CHECK(names.AllThatRefuse("/p/new/config").empty());
  const GuardedNames strict = With({editors, gits, Fixed("/p", "new/.vscode")});
  REQUIRE(strict.AllThatRefuse("/p/new/.vscode/.git/config").size() == 1);
  CHECK_FALSE(strict.AllThatRefuse("/p/new/.vscode/.git/config").front()->unless_new);
}

TEST_CASE("guarded names: an allow list is reported before a rule that exempts new repositories") {
  GuardedName gits = Anywhere("**/.git/config");
  gits.unless_new = true;
  GuardedNames names = With({gits});
  names.AllowOnly({Pattern("/p", "src/*.cc")});
  const GuardedName* rule = names.Refuses("/p/sub/.git/config");
  REQUIRE(rule != nullptr);
  CHECK_FALSE(rule->unless_new);
}

TEST_CASE("guarded names: the same rule counts once") {
  const GuardedNames names = With({Fixed("/p", "x"), Fixed("/p", "x"), Fixed("/p", "y")});
  CHECK(names.rules().size() == 2);
}

TEST_CASE(
    "guarded names: a pattern for a directory's content does not allow the directory itself") {
  GuardedNames names;
  names.AllowOnly({Pattern("/p/a", "**"), Pattern("/p/b", "*.cc")});
  static constexpr NameRow kRows[] = {
      {"in the folder", "/p/a/x", false},
      {"the folder", "/p/a", true},
      {"the other folder", "/p/b", true},
  };
  CheckRows(names, kRows);
}

TEST_CASE("guarded names: an empty directory may lead to an allowed path") {
  GuardedNames names = With({Fixed("/p", "src/gen")});
  names.AllowOnly(
      {Fixed("/p/src/new/out", ""), Pattern("/p", "lib/*/x.cc"), Fixed("/p", "src/gen")});
  names.AllowOnly({Fixed("/p", "")});
  static constexpr NameRow kRows[] = {
      {"the first on the way", "/p/src", false}, {"the last on the way", "/p/src/new", false},
      {"on a pattern's way", "/p/lib", false},   {"what a star stands for", "/p/lib/any", false},
      {"beside the way", "/p/src/old", true},    {"with the same prefix", "/p/sr", true},
      {"denied on the way", "/p/src/gen", true},
  };
  for (const NameRow& row : kRows) {
    CAPTURE(row.name);
    CHECK((!names.AllThatRefuseFolder(row.path).empty()) == row.refused);
  }
  CHECK(names.Refuses("/p/src") == &NotAllowedRule());
}

TEST_CASE("guarded names: the number of levels below the first component that a rule matches") {
  const GuardedName workflows = Anywhere("**/.github/workflows");
  const GuardedNames names = With({workflows});
  CHECK(names.LevelsBelowMatch(workflows, "/p/.github/workflows") == 1);
  CHECK(names.LevelsBelowMatch(workflows, "/p/.github/workflows/x.yml") == 2);
  CHECK(names.LevelsBelowMatch(workflows, "/p/a/.GITHUB/workflows/b/x.yml") == 3);
  CHECK(names.LevelsBelowMatch(Anywhere("**/.vscode"), "/p/.vscode/a/.vscode/x") == 3);
  CHECK(names.LevelsBelowMatch(Anywhere("**/*.code-workspace"), "/p/x.code-workspace") == 0);
  CHECK(names.LevelsBelowMatch(Fixed("/p", "new/.vscode"), "/p/new/.vscode/x") == 2);
  CHECK(names.LevelsBelowMatch(Fixed("/p", ""), "/p") == 0);
}

TEST_CASE("guarded names: the path to the project is ignored for a rule that covers the project") {
  GuardedName editors = Anywhere("**/.vscode");
  editors.holds_root = true;
  GuardedNames names = With({editors});
  names.SetPackageStores({}, Path::Clean("/home/dev/.vscode/p"));
  CHECK(names.LevelsBelowMatch(editors, "/home/dev/.vscode/p/new/.vscode/x") == 1);
}

TEST_CASE("guarded names: a file that git saves as a whole is refused conditionally") {
  GuardedName todo = Anywhere("**/git-rebase-todo");
  todo.comes_whole = true;
  const GuardedNames names = With({todo});
  REQUIRE(names.AllThatRefuse("/p/.git/rebase-merge/git-rebase-todo").size() == 1);
  const GuardedNames strict = With({todo, Fixed("/p", ".git/rebase-merge")});
  CHECK_FALSE(strict.Refuses("/p/.git/rebase-merge/git-rebase-todo")->comes_whole);
}
