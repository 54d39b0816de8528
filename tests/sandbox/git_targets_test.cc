// Files that git runs or reads because of a configuration.
#include "sandbox/git_targets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/git_variables.h"
#include "tests/support/fake_files.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

// "KEY=VALUE" of each variable, one per line.
std::string Listed(std::string_view text) {
  std::string all;
  for (const GitVariable& variable : ReadGitVariables(text)) {
    all += variable.name() + "=" + variable.value + "\n";
  }
  return all;
}

std::string ListedByGit(const std::string& text) {
  const TemporaryTree tree;
  tree.File("config", text);
  const std::string line =
      "git config --file '" + tree.At("config") + "' --no-includes --list 2>/dev/null";
  std::FILE* pipe = ::popen(line.c_str(), "r");  // NOLINT: a test's own words
  REQUIRE(pipe != nullptr);
  std::string all;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) all += static_cast<char>(c);
  ::pclose(pipe);
  return all;
}

// Joins this member of all targets with ", "; skips targets without it.
std::string Targets(std::vector<FakeFiles::Entry> entries,
                    std::string GitTarget::*member = &GitTarget::path) {
  entries.push_back({"/home/dev/p/.git/HEAD", File("ref: refs/heads/main\n")});
  const FakeFiles files(entries);
  std::string all;
  const GitPlaces places{.root = Path::Clean("/home/dev/p"), .homes = {Path::Clean("/home/dev")}};
  const Result<std::vector<GitTarget>> targets = FindGitTargets(places, files);
  if (!targets) return targets.error().text();
  for (const GitTarget& target : *targets) {
    if (!(target.*member).empty()) all += (all.empty() ? "" : ", ") + target.*member;
  }
  return all;
}

// The targets in any work tree.
std::string InAnyTree(const std::string& config) {
  return Targets({{"/home/dev/p/.git/config", File(config)}, {"/home/dev/p/tools/there", File("")}},
                 &GitTarget::in_tree);
}

std::string TargetsOf(const std::string& config) {
  return Targets({{"/home/dev/p/.git/config", File(config)}});
}

}  // namespace

TEST_CASE("git variables: parsed as git parses them") {
  for (const std::string text :
       {"[core]\n\thooksPath = .githooks\n", "[filter \"x\"]\n\tclean = \"sh a.sh\" b ; comment\n",
        "[a.b]\nc=1\n", "[core] editor = vim # x\n",
        "[alias]\n\tx = \"!f() { a \\\"b\\\"; }; f\"\n", "[x]\n\ty = one \\\n two\n",
        "[x]\n\ty = a\\tb\\\\c\n", "[X \"A\\\"b\"]\nY = 1\r\n",
        "[x]\ny =   spaced   \nz=\"  kept  \"\n", "[x]y=1\n[z]w=2"}) {
    CAPTURE(text);
    CHECK(Listed(text) == ListedByGit(text));
  }
}

TEST_CASE("git variables: a mistake does not hide the following lines") {
  CHECK(Listed("[core\n!!\n[core]\nhooksPath=x\n") == "core.hookspath=x\n");
}

TEST_CASE("git targets: directories and files that keys name, relative to the work tree") {
  CHECK(TargetsOf("[core]\n\thooksPath = .githooks\n") == "/home/dev/p/.githooks");
  CHECK(TargetsOf("[core]\n\tattributesFile = conf/attributes\n") == "/home/dev/p/conf/attributes");
  CHECK(TargetsOf("[core]\n\texcludesFile = ~/ignore\n") == "/home/dev/ignore");
  CHECK(TargetsOf("[core]\n\thooksPath = /srv/hooks\n") == "/srv/hooks");
  CHECK(TargetsOf("[core]\n\thooksPath = ~other/hooks\n") == "");
}

TEST_CASE("git targets: files that users edit routinely do not count") {
  CHECK(TargetsOf("[core]\n\texcludesFile = .gitignore\n") == "");
  CHECK(TargetsOf("[core]\n\tattributesFile = .gitattributes\n") == "");
  CHECK(TargetsOf("[remote \"o\"]\n\turl = ../other\n\tfetch = +refs/heads/*:refs/r/*\n") == "");
  CHECK(TargetsOf("[branch \"main\"]\n\tmerge = refs/heads/main\n") == "");
}

TEST_CASE(
    "git targets: an included file, relative to the file that includes it, and its own targets") {
  CHECK(Targets({{"/home/dev/p/.git/config", File("[include]\n\tpath = ../conf/git\n")},
                 {"/home/dev/p/conf/git", File("[core]\n\tsshCommand = tools/ssh.sh -v\n")}}) ==
        "/home/dev/p/tools/ssh.sh, /home/dev/p/.git/../conf/git");
  // Whatever its condition, and even if it does not exist yet.
  CHECK(TargetsOf("[includeIf \"gitdir:~/x/\"]\n\tpath = later\n") == "/home/dev/p/.git/later");
}

TEST_CASE("git targets: files that a command names") {
  CHECK(TargetsOf("[filter \"f\"]\n\tclean = ./clean.sh %f\n") == "/home/dev/p/./clean.sh");
  CHECK(TargetsOf("[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs p\n") ==
        "");
  CHECK(TargetsOf("[alias]\n\tl = log scripts/x.sh\n\tr = !scripts/x.sh\n") ==
        "/home/dev/p/scripts/x.sh");
  CHECK(Targets({{"/home/dev/p/.git/config", File("[diff \"d\"]\n\ttextconv = sh view.sh\n")},
                 {"/home/dev/p/view.sh", File("")}}) == "/home/dev/p/view.sh");
  CHECK(Targets({{"/home/dev/p/.git/config",
                  File("[credential]\n\thelper = \"!f() { 'a b/c'; }; f\"\n")}}) ==
        "/home/dev/p/a b/c, /home/dev/p/b/c");
}

TEST_CASE("git targets: a command that changes directory, and a script of an interpreter") {
  CHECK(TargetsOf("[alias]\n\td = !cd tools && ./d.sh\n") ==
        "/home/dev/p/./d.sh, /home/dev/p/tools/./d.sh");
  CHECK(TargetsOf("[alias]\n\ts = !sh build.sh now\n") == "/home/dev/p/build.sh");
  CHECK(TargetsOf("[alias]\n\ts = !sh -c true\n") == "");
  CHECK(TargetsOf("[gpg \"ssh\"]\n\tallowedSignersFile = signers\n") == "/home/dev/p/signers");
  CHECK(TargetsOf("[lfs \"customtransfer.x\"]\n\tpath = bin/x\n") == "/home/dev/p/bin/x");
}

TEST_CASE("git targets: the environment") {
  const FakeFiles files({{"/home/dev/p/.git/HEAD", File("ref: refs/heads/main\n")},
                         {"/srv/git", File("[core]\n\thooksPath = h\n")},
                         {"/home/dev/p/x/HEAD", File("")},
                         {"/home/dev/p/x/config", File("[core]\n\thooksPath = xh\n")},
                         {"/home/dev/p/conf/more", File("[core]\n\tpager = ./page\n")}});
  const auto found = [&](const std::vector<std::string>& environment) {
    const auto targets = FindGitTargets({.root = Path::Clean("/home/dev/p"),
                                         .homes = {Path::Clean("/home/dev")},
                                         .environment = environment},
                                        files);
    REQUIRE(targets);
    std::string all;
    for (const GitTarget& target : *targets) {
      if (target.path.empty()) continue;
      all += (all.empty() ? "" : ", ") + target.path + " " + target.why;
    }
    return all;
  };
  CHECK(found({"GIT_CONFIG_SYSTEM=/srv/git"}) ==
        "/srv/git git uses it (GIT_CONFIG_SYSTEM), "
        "/home/dev/p/h git uses it (core.hookspath in \"/srv/git\")");
  CHECK(found({"GIT_CONFIG_GLOBAL=gc"}) == "/home/dev/p/gc git uses it (GIT_CONFIG_GLOBAL)");
  CHECK(found({"XDG_CONFIG_HOME=/home/dev/p/c"}) ==
        "/home/dev/p/c/git/config git uses it (XDG_CONFIG_HOME)");
  CHECK(found({"EDITOR=vi", "GIT_SSH_COMMAND=./ssh -x"}) ==
        "/home/dev/p/./ssh git uses it (GIT_SSH_COMMAND)");
  CHECK(found({"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=filter.a.b.clean",
               "GIT_CONFIG_VALUE_0=./c"}) == "/home/dev/p/./c git uses it (GIT_CONFIG_KEY_0)");
  CHECK(found({"GIT_CONFIG_PARAMETERS='core.hooksPath'='it'\\''s' 'core.editor=./e' 'x' junk"}) ==
        "/home/dev/p/it's git uses it (GIT_CONFIG_PARAMETERS), "
        "/home/dev/p/./e git uses it (GIT_CONFIG_PARAMETERS)");
  CHECK(
      found({"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=include.path", "GIT_CONFIG_VALUE_0=conf/more"})
          .find("/home/dev/p/./page git uses it (core.pager in \"/home/dev/p/conf/more\")") !=
      std::string::npos);
  CHECK(found({"GIT_DIR=x"}) ==
        "/home/dev/p/xh git uses it (core.hookspath in "
        "\"/home/dev/p/x/config\")");
}

TEST_CASE("git targets: a file that includes itself, and more targets than anyone writes") {
  std::string loop;
  for (int i = 0; i < 40; ++i) loop += "[include]\npath = config\n";
  CHECK(TargetsOf(loop) == "/home/dev/p/.git/config");
  std::string words;
  for (int i = 0; i < 20'000; ++i) words += " ./" + std::to_string(i);
  CHECK(TargetsOf("[alias]\n\tz = \"!" + words + "\"\n").find("names too many files to guard") !=
        std::string::npos);
}

TEST_CASE("git targets: a .git file counts if it leads to a repository") {
  const std::vector<FakeFiles::Entry> entries = {
      {"/home/dev/p/sub/.git", File("gitdir: ../x\n")},
      {"/home/dev/p/x/config", File("[core]\n\thooksPath = h\n")}};
  CHECK(Targets(entries) == "");
  std::vector<FakeFiles::Entry> with_head = entries;
  with_head.push_back({"/home/dev/p/x/HEAD", File("")});
  CHECK(Targets(with_head) == "/home/dev/p/sub/h");
}

TEST_CASE("git targets: an unknown key counts if its words name an existing file") {
  CHECK(TargetsOf("[town]\n\ttool = bin/tool\n") == "");
  CHECK(Targets({{"/home/dev/p/.git/config", File("[town]\n\ttool = bin/tool run\n")},
                 {"/home/dev/p/bin/tool", File("")}}) == "/home/dev/p/bin/tool");
}

TEST_CASE("git targets: the user's and the system's configuration, for each repository") {
  CHECK(Targets({{"/home/dev/.gitconfig", File("[core]\n\thooksPath = hooks\n")},
                 {"/home/dev/p/sub/.git/HEAD", File("")}}) ==
        "/home/dev/p/hooks, /home/dev/p/sub/hooks");
  CHECK(Targets({{"/etc/gitconfig", File("[core]\n\teditor = ./edit\n")}}) == "/home/dev/p/./edit");
}

TEST_CASE("git targets: repositories below, above, in submodules and in work trees") {
  CHECK(Targets({{"/home/dev/p/a/b/.git/config", File("[core]\n\thooksPath = h\n")}}) ==
        "/home/dev/p/a/b/h");
  CHECK(Targets({{"/home/dev/p/.git/modules/s/t/HEAD", File("")},
                 {"/home/dev/p/.git/modules/s/t/config",
                  File("[core]\n\tworktree = ../../../../s\n\thooksPath = h\n")}}) ==
        "/home/dev/p/s/h");
  CHECK(Targets({{"/home/dev/p/w/.git", File("gitdir: ../.git/worktrees/w\n")},
                 {"/home/dev/p/.git/worktrees/w/HEAD", File("")},
                 {"/home/dev/p/.git/worktrees/w/commondir", File("../..\n")},
                 {"/home/dev/p/.git/config", File("[core]\n\thooksPath = h\n")}}) ==
        "/home/dev/p/h, /home/dev/p/w/h");
}

TEST_CASE("git targets: configuration that cannot be read completely is a failure, not empty") {
  const std::string too_long(2 << 20, '#');
  CHECK(Targets({{"/home/dev/.gitconfig", File(too_long)}}) == "open(/home/dev/.gitconfig): E2BIG");
}

TEST_CASE("git targets: files that git looks for in any work tree") {
  const std::string hooks = InAnyTree("[core]\n\thooksPath = ./tools/../hooks\n");
  CHECK(hooks.starts_with("hooks/applypatch-msg, "));
  CHECK(hooks.ends_with(", hooks/post-index-change"));
  for (const std::string_view hook :
       {"pre-commit", "prepare-commit-msg", "pre-receive", "reference-transaction"}) {
    CHECK_MESSAGE(hooks.find(", hooks/" + std::string(hook) + ", ") != std::string::npos, hook);
  }
  CHECK(std::ranges::count(hooks, ',') == 27);
  CHECK(InAnyTree("[core]\n\thooksPath = /srv/hooks\n") == "");
  CHECK(InAnyTree("[core]\n\thooksPath = ~/hooks\n") == "");
  struct Row {
    std::string config, want;
  };
  const std::vector<Row> rows = {
      {"[core]\n\tfsmonitor = ./fsmon\n", "fsmon"},
      {"[core]\n\tfsmonitor = ../tools/fsmon\n", "tools/fsmon"},
      {"[core]\n\tfsmonitor = /srv/fsmon\n", ""},
      {"[core]\n\teditor = sh edit.sh\n", "edit.sh"},
      {"[filter \"x\"]\n\tclean = cat tools/there tools/gone\n", "tools/there"},
      {"[filter \"x\"]\n\tclean = \"make; tools/clean %f\"\n", "tools/clean"},
      {"[alias]\n\tl = !git log origin/main\n", ""},
      {"[alias]\n\tu = !tools/up.sh\n", "tools/up.sh"},
      {"[alias]\n\tu = !cd tools && ./up.sh\n", "tools/up.sh"},
      {"[alias]\n\tb = !sh build.sh\n", ""},
      {"[alias]\n\tt = !git diff tools/there\n", ""},
      {"[init]\n\ttemplateDir = tools\n", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.config);
    CHECK(InAnyTree(row.config) == row.want);
  }
}

TEST_CASE("git targets: quoted commands, and a path attached to its option") {
  CHECK(TargetsOf("[alias]\n\tw = \"!sh -c './a.sh $1' -\"\n") ==
        "/home/dev/p/./a.sh $1, /home/dev/p/./a.sh");
  CHECK(TargetsOf("[alias]\n\tw = \"!bash -c \\\"scripts/a.sh \\\\\\\"$@\\\\\\\"\\\" --\"\n") ==
        "/home/dev/p/scripts/a.sh \"$@\", /home/dev/p/scripts/a.sh");
  CHECK(TargetsOf("[filter \"f\"]\n\tclean = \"bash -c 'exec tools/w.sh'\"\n") ==
        "/home/dev/p/exec tools/w.sh, /home/dev/p/tools/w.sh");
  CHECK(TargetsOf("[core]\n\tsshCommand = ssh -F./conf -o \"'ProxyCommand deploy/pc %h'\"\n") ==
        "/home/dev/p/-F./conf, /home/dev/p/./conf, /home/dev/p/ProxyCommand deploy/pc %h, "
        "/home/dev/p/deploy/pc");
  CHECK(TargetsOf("[core]\n\teditor = source run.env\n") == "/home/dev/p/run.env");
}

TEST_CASE("git targets: keys of programs that are rarely set") {
  for (const std::string key : {"gc.recentObjectsHook", "instaweb.httpd", "web.browser",
                                "lfs.extension.x.clean", "lfs.extension.x.smudge"}) {
    const size_t first = key.find('.');
    const size_t last = key.rfind('.');
    const std::string middle =
        first == last ? "" : " \"" + key.substr(first + 1, last - first - 1) + "\"";
    CAPTURE(key);
    CHECK(TargetsOf("[" + key.substr(0, first) + middle + "]\n\t" + key.substr(last + 1) +
                    " = ./x\n") == "/home/dev/p/./x");
  }
}

TEST_CASE("git environment: at most 1,000 settings of each kind are read") {
  std::vector<std::string> counted{"GIT_CONFIG_COUNT=1001"};
  std::string passed = "GIT_CONFIG_PARAMETERS=";
  for (int i = 0; i < 1001; ++i) {
    const std::string number = std::to_string(i);
    counted.push_back("GIT_CONFIG_KEY_" + number + "=a.b");
    counted.push_back("GIT_CONFIG_VALUE_" + number + "=v");
    passed += "'a.b=v' ";
  }
  CHECK(ReadGitEnvironment(counted).settings.size() == 1000);
  CHECK(ReadGitEnvironment(std::vector{passed}).settings.size() == 1000);
}
