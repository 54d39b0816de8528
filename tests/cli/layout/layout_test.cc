#include <doctest/doctest.h>

#include <string>

#include "cli/layout/kdl.h"
#include "cli/layout/layout_panes.h"
#include "cli/layout/panes.h"
#include "cli/layout/relay.h"
#include "policy/files/real_files.h"
#include "run/typed_context.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

const std::vector<std::string> kHostile = {
    "it's", "a\"b\\c", "$HOME `x` #(x) #{x}",     "two\nlines", ";", "x;", "x\\;", "",
    "~/x",  "-x",      "\xC3\xA9\xF0\x9F\x98\x80"};

TEST_CASE("layout: a Zellij layout quotes names and words unchanged") {
  PaneSet set{.folder = "/a \"b\"", .panes = {}};
  for (const std::string& word : kHostile) set.panes.push_back({"n" + word, {"/x", word, "y"}});
  set.panes.push_back({"alone", {"/x"}});
  const Result<std::string> text = ZellijLayout(set);
  REQUIRE(text.has_value());
  const auto nodes = ReadKdl(*text, "x");
  REQUIRE(nodes.has_value());
  const auto panes = FindPanes(*nodes, *text, "x");
  REQUIRE(panes.has_value());
  REQUIRE(panes->size() == set.panes.size());
  for (size_t i = 0; i < set.panes.size(); ++i) {
    CAPTURE(set.panes[i].name);
    CHECK((*panes)[i].name == set.panes[i].name);
    std::vector<std::string> argv = (*panes)[i].args;
    argv.insert(argv.begin(), (*panes)[i].command.value_or(""));
    CHECK(argv == set.panes[i].argv);
  }
}

TEST_CASE("layout: up to four panes are side by side, more in rows") {
  static constexpr struct {
    size_t panes;
    const char* rows;
  } kRows[] = {{1, "1"}, {4, "4"}, {5, "3 2"}, {9, "3 3 3"}, {10, "4 3 3"}, {16, "4 4 4 4"}};
  for (const auto& row : kRows) {
    CAPTURE(row.panes);
    const PaneSet set{.folder = "/", .panes = std::vector<Pane>(row.panes, {"n", {"/x"}})};
    const auto nodes = ReadKdl(*ZellijLayout(set), "x");
    REQUIRE(nodes.has_value());
    std::string rows;
    for (const KdlNode& node : nodes->front().children) {
      if (node.name == "pane")
        rows += (rows.empty() ? "" : " ") + std::to_string(node.children.size());
    }
    CHECK(rows == row.rows);
  }
}

TEST_CASE("layout: text that is not UTF-8 cannot be written in KDL") {
  CHECK_FALSE(ZellijLayout({"/", {{"n", {"/x", "\xFF"}}}}).has_value());
  CHECK_FALSE(ZellijLayout({"/\xFF", {{"n", {"/x"}}}}).has_value());
}

TEST_CASE("layout: a script for tmux quotes every word, and a trailing semicolon for tmux itself") {
  const auto line = [](const std::vector<std::string>& argv) {
    const std::string script = TmuxScript({"/", {{"n", argv}}});
    const size_t begin = script.find(" -- ", script.find("split-window")) + 4;
    return script.substr(begin, script.find(")\n", begin) - begin);
  };
  CHECK(line({"/x", "a b"}) == "'/x' 'a b'");
  CHECK(line({"/x", "it's"}) == "'/x' 'it'\\''s'");
  CHECK(line({"/x", ";", "a;", "a\\;", "a;b"}) == "'/x' '\\;' 'a\\;' 'a\\\\;' 'a;b'");
  CHECK(line({"/x"}) == "'/bin/sh' '-c' 'exec \"$0\"' '/x'");
}

TEST_CASE("layout: tmux does not expand the name of a pane as a format") {
  const std::string script = TmuxScript({"/", {{"#(x) #{y};", {"/x", "y"}}}});
  CHECK(script.find("@ringfence '##(x) ##{y}\\;'\n") != std::string::npos);
}

struct RelayWorld {
  TemporaryTree tree;

  RelayWorld() {
    tree.Directory("home/.config/ringfence");
    tree.Directory("project/relay");
    tree.Directory("relay");
  }

  // The problems of profile "a/b", one per line: what, and what to do.
  std::string Problems(const std::string& policy, const std::string& relay = "relay") {
    tree.File("home/.config/ringfence/policy.json", policy);
    const RealFiles files;
    const Result<Context> context =
        FindTypedContext(Registration{.root = tree.At("project"), .home = tree.At("home")}, files);
    if (!context) return context.error().text();
    const Result<std::vector<Error>> problems = RelayProblems(tree.At(relay), "a/b", *context);
    if (!problems) return problems.error().text();
    std::string all;
    for (const Error& problem : *problems) all += problem.text() + " | " + problem.hint + "\n";
    for (size_t at = 0; (at = all.find(tree.root())) != std::string::npos;) {
      all.replace(at, tree.root().size(), "T");
    }
    return all;
  }
};

constexpr const char* kMayNotRead = "profile \"a/b\": may not read in the relay \"T/relay\": ";
constexpr const char* kMayNotWrite = "profile \"a/b\": may not write in the relay \"T/relay\": ";

TEST_CASE("relay: it may be used if the profile's lists, or those around it, have it") {
  RelayWorld world;
  CHECK(world.Problems(R"({"version": 1, "profiles": {"a/b": {}}})", "project/relay").empty());
  const std::string relay = world.tree.At("relay");
  CHECK(world
            .Problems(R"({"version": 1, "read": {"allow": [".", ")" + relay +
                      R"("]}, "profiles": {"a/b": {"write": {"allow": [")" + relay + R"("]}}}})")
            .empty());
}

TEST_CASE("relay: the line that lacks it is named, with the entry") {
  RelayWorld world;
  CHECK(world.Problems("{\"version\": 1, \"profiles\": {\n \"a/b\": {\n"
                       "  \"read\": {\"allow\": [\"/\"]},\n  \"write\": {\"allow\": [\"x\"]}}}}") ==
        std::string(kMayNotWrite) +
            "outside the project | add \"T/relay\" to ~/.config/ringfence/policy.json:4 "
            "/profiles/a~1b/write/allow\n");
}

TEST_CASE("relay: a list that the profile does not have is written out") {
  RelayWorld world;
  CHECK(world.Problems("{\"version\": 1, \"read\": {\"allow\": [\"/\"]},\n"
                       " \"profiles\": {\n  \"a/b\": {}}}") ==
        std::string(kMayNotWrite) +
            "outside the project | the profile has no such list; add "
            "~/.config/ringfence/policy.json:3 /profiles/a~1b/write/allow: "
            "[\".\",\"@claude-scratch\",\"T/relay\"]\n");
}

TEST_CASE("relay: a rule that denies it or asks about it is named") {
  RelayWorld world;
  const std::string relay = world.tree.At("relay");
  const std::string text =
      "{\"version\": 1, \"profiles\": {\"a/b\": {\n \"read\": {\"allow\": [\"/\"], \"deny\": [\"" +
      relay + "\"]},\n \"write\": {\"allow\": [\"/\"], \"ask\": [\"" + relay + "\"]}}}}";
  const std::string said = world.Problems(text);
  CHECK(said.find(std::string(kMayNotRead) + "denied by \"T/relay\"") == 0);
  CHECK(said.find("policy.json:2 /profiles/a~1b/read/deny decides so") != std::string::npos);
  CHECK(said.find("the policy asks about \"T/relay\"") != std::string::npos);
  CHECK(said.find("policy.json:3 /profiles/a~1b/write/ask decides so") != std::string::npos);
}

TEST_CASE("relay: an agent that may write nothing cannot use it") {
  RelayWorld world;
  const std::string said = world.Problems(
      R"({"version": 1, "read": {"allow": ["/"]}, "write": {"allow": ["/"]}, "profiles": {"a/b": {"sandbox": {"mode": "rx"}}}})");
  CHECK(said.find(std::string(kMayNotWrite) + "its \"sandbox\" has \"mode\": \"rx\"") == 0);
}

TEST_CASE("relay: it is a directory, identified by where it leads") {
  const RelayWorld world;
  world.tree.Link("link", world.tree.At("relay"));
  world.tree.File("file");
  const Result<std::string> found = FindRelay(world.tree.At("link"));
  REQUIRE(found.has_value());
  CHECK(*found == world.tree.At("relay"));
  CHECK(FindRelay(world.tree.At("none")).error().hint == "mkdir -m 700 " + world.tree.At("none"));
  CHECK(FindRelay(world.tree.At("file")).error().what.find("is not a directory") !=
        std::string::npos);
}

}  // namespace
