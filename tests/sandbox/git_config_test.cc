// WhyNoGitConfig(): the config that a repository created by a confined command may have. Compares
// with git's own reading of the same text through `git config`.
#include "sandbox/git_config.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <random>
#include <sstream>
#include <vector>

#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

constexpr std::string_view kPath = "/p/new/.git/config";

std::string Why(std::string_view text, std::string_view path = kPath) {
  return WhyNoGitConfig(text, path).value_or("");
}

// The keys that git finds, one per line; "" if git rejects the file.
std::string KeysOf(const TemporaryTree& tree, const std::string& text) {
  tree.File("config", text);
  const std::string file = tree.At("config");
  const std::string line =
      "git config --file '" + file + "' --no-includes --name-only --list 2>/dev/null";
  std::FILE* pipe = ::popen(line.c_str(), "r");  // NOLINT: a test's own words
  REQUIRE(pipe != nullptr);
  std::string keys;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) keys += static_cast<char>(c);
  return ::pclose(pipe) == 0 ? keys : "";
}

}  // namespace

TEST_CASE("git config: the config that git writes into a new repository is accepted") {
  CHECK(Why("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
            "\tlogallrefupdates = true\n") == "");
  CHECK(Why("[remote \"origin\"]\n\turl = https://example.org/x.git\n"
            "\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
            "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n") == "");
  CHECK(Why("[user]\n  name = A \"B\" # c\n  email=a@b\n[submodule \"x \\\" y\"]\nurl = ../x\n"
            "active\n; comment\n\n[extensions] objectformat = sha256\n") == "");
  CHECK(Why("") == "");
}

TEST_CASE("git config: values of tools and users that name no program are accepted") {
  CHECK(Why("[branch \"main\"]\n\tvscode-merge-base = origin/main\n"
            "[remote \"origin\"]\n\tgh-resolved = base\n[color \"diff\"]\n\tmeta = yellow bold\n"
            "[diff]\n\talgorithm = histogram\n\tcolorMoved = zebra\n[rerere]\n\tenabled = true\n"
            "[lfs]\n\trepositoryformatversion = 0\n[log]\n\tdate = iso\n") == "");
  CHECK(Why("[diff]\n\texternal = x\n") != "");
  CHECK(Why("[diff \"x\"]\n\ttextconv = x\n") != "");
  CHECK(Why("[log]\n\tshowSignature = true\n") != "");
  CHECK(Why("[lfs]\n\turl = https://example.org\n") != "");
}

TEST_CASE("git config: keys by which git runs a program, reads or writes elsewhere are refused") {
  for (const std::string_view text : {"[core]\nfsmonitor = evil\n",
                                      "[core]\nhooksPath = x\n",
                                      "[core]\nsshCommand = x\n",
                                      "[core]\npager = x\n",
                                      "[core]\neditor = x\n",
                                      "[core]\naskpass = x\n",
                                      "[core]\ngitProxy = x\n",
                                      "[core]\nattributesFile = x\n",
                                      "[core]\nalternateRefsCommand=x\n",
                                      "[alias]\nst = !x\n",
                                      "[filter \"x\"]\nclean = x\n",
                                      "[diff]\nexternal = x\n",
                                      "[diff \"x\"]\ntextconv = x\n",
                                      "[diff \"x\"]\ncommand = x\n",
                                      "[merge \"x\"]\ndriver = x\n",
                                      "[gpg]\nprogram = x\n",
                                      "[gpg \"ssh\"]\nprogram = x\n",
                                      "[credential]\nhelper = x\n",
                                      "[credential \"https://h\"]\nhelper = x\n",
                                      "[include]\npath = x\n",
                                      "[includeIf \"gitdir:/\"]\npath = x\n",
                                      "[sequence]\neditor = x\n",
                                      "[pager]\nlog = x\n",
                                      "[interactive]\ndiffFilter = x\n",
                                      "[difftool \"x\"]\ncmd = x\n",
                                      "[mergetool \"x\"]\ncmd=x\n",
                                      "[remote \"o\"]\nuploadpack = x\n",
                                      "[remote \"o\"]\nvcs = x\n",
                                      "[remote \"o\"]\nproxy = x\n",
                                      "[submodule \"s\"]\nupdate = !x\n",
                                      "[protocol \"ext\"]\nallow = always\n",
                                      "[url \"ext::x\"]\ninsteadOf = https://\n",
                                      "[uploadpack]\npackObjectsHook = x\n",
                                      "[gc]\nrecentObjectsHook = x\n",
                                      "[browser \"x\"]\ncmd = x\n",
                                      "[man \"x\"]\ncmd = x\n",
                                      "[trailer \"x\"]\ncommand = x\n",
                                      "[lfs]\ncustomtransfer = x\n",
                                      "[http]\nproxy = x\n",
                                      "[safe]\nbareRepository = all\n",
                                      "[remote \"o\"]\npromisor = true\n",
                                      "[extensions]\npartialClone = o\n",
                                      "[CORE]\nFsMonitor = evil\n",
                                      "[core] fsmonitor = evil\n",
                                      "[user] [core] fsmonitor\n",
                                      "[user]\nname = x\n\t[ core ]\nfsmonitor = x\n"}) {
    CAPTURE(text);
    CHECK(Why(text) != "");
  }
}

TEST_CASE("git config: text that git may read differently is refused") {
  for (const std::string_view text :
       {"[user]\nname = x\\\n[core]\n", "# a \\\n[user]\n", "[user]\r\nname = x\n",
        "\xEF\xBB\xBF[user]\nname = x\n", "[user.x]\nname = y\n", "name = x\n", "[user\nname = x\n",
        "[user \"x]\nname = y\n", "[user]\n1name = x\n", "[user]\nname x\n", "[user]\nna_me = x\n",
        "[\"\"]\nname = x\n", "[]\nname = x\n", "[user]\nname = x\f\n", "[user]name\v= x\n"}) {
    CAPTURE(text);
    CHECK(Why(text) != "");
  }
  CHECK(Why(std::string_view("[user]\nname = \0x\n", 18)) != "");
  CHECK(Why("[user]\nname = " + std::string(kMaxGitConfig, 'x') + "\n") == "it is too long");
}

TEST_CASE("git config: a work tree must be the repository's own") {
  struct Case {
    std::string_view path, value;
    bool accepted;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"/p/n/.git/modules/m/config", "../../../m", true},
           {"/p/n/.git/modules/a/b/config", "../../../../a/b", true},
           {"/p/n/.git/modules/m/modules/n/config", "../../../../../m/n", true},
           {"/p/n/.git/modules/m/config", "../../../../m", false},
           {"/p/n/.git/modules/m/config", "../../../m/../..", false},
           {"/p/n/.git/modules/m/config", "../../../.git/hooks", false},
           {"/p/n/.git/modules/m/config", "/home/dev", false},
           {"/p/n/.git/modules/m/config", "~", false},
           {"/p/n/.git/modules/m/config", "m", false},
           {"/p/n/.git/modules/m/config", "\"../../../m\"", false},
           {"/p/n/.git/modules/m/config", "../../../m\\t", false},
           {"/p/n/.git/modules/m/config", "../../../m # x", false},
           {"/p/n/.git/config", "../sub", true},
           {"/p/n/.git/config", "../../sub", false},
           {"/p/n/bare/config", "../sub", false}}) {
    CAPTURE(c.path);
    CAPTURE(c.value);
    CHECK((Why("[core]\nworktree = " + std::string(c.value) + "\n", c.path) == "") == c.accepted);
  }
}

TEST_CASE("git config: in accepted text, git finds only harmless keys") {
  const TemporaryTree tree;
  if (KeysOf(tree, "[user]\nname = x\n") != "user.name\n") {
    MESSAGE("skipped: git is not installed");
    return;
  }
  const std::vector<std::string> parts = {"[core]",
                                          "[user]",
                                          "[remote \"o\"]",
                                          "[alias]",
                                          "fsmonitor",
                                          "name",
                                          "url",
                                          "=",
                                          " ",
                                          "\n",
                                          "\n",
                                          "\n",
                                          "\t",
                                          "\"",
                                          "\\",
                                          "#",
                                          ";",
                                          "x",
                                          "[",
                                          "]",
                                          "[core ",
                                          "\\\n",
                                          "bare = true\n",
                                          "name = a\n",
                                          "[user]\n",
                                          ".",
                                          "\r\n",
                                          "[color]\n",
                                          "ui = auto\n",
                                          "fsmonitor = x\n"};
  std::mt19937_64 random(7);
  int accepted = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string text;
    const size_t count = random() % 12;
    for (size_t i = 0; i < count; ++i) text += parts[random() % parts.size()];
    if (Why(text) != "") continue;
    ++accepted;
    std::istringstream keys(KeysOf(tree, text));
    for (std::string key; std::getline(keys, key);) {
      CAPTURE(text);
      CAPTURE(key);
      const bool is_harmless = key == "core.bare" || key == "user.name" || key == "remote.o.url" ||
                               key.starts_with("color.");
      CHECK(is_harmless);
    }
  }
  CHECK(accepted > 100);
}
