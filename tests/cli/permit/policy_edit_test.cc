#include "cli/permit/policy_edit.h"

#include <doctest/doctest.h>

#include "agents/claude/agent.h"
#include "cli/common/grant_target.h"
#include "cli/setup/starter_policy.h"
#include "policy/load/load.h"
#include "policy/rules/pattern.h"
#include "tests/support/temporary_tree.h"

using namespace ringfence;

namespace {

bool IsPolicy(const std::string& text) {
  std::vector<Error> mistakes;
  return LoadPolicy({text, "/policy.json", "policy.json", true, &ClaudeCode()}, mistakes) !=
         nullptr;
}

TEST_CASE("policy edit: an entry is added, comments and layout stay") {
  struct Row {
    const char* name;
    const char* before;
    const char* after;
  };
  static constexpr Row kRows[] = {
      {"list", "{ // top\n  \"version\": 1,\n  \"read\": { \"allow\": [\".\"] } // why\n}\n",
       "{ // top\n  \"version\": 1,\n  \"read\": { \"allow\": [\".\", \"src\"] } // why\n}\n"},
      {"lines",
       "{\n  \"version\": 1,\n  \"read\": {\n    \"allow\": [\n      \".\" // here\n    ]\n  }\n}",
       "{\n  \"version\": 1,\n  \"read\": {\n    \"allow\": [\n      \".\", // here\n      "
       "\"src\"\n    ]\n  }\n}"},
      {"section", "{\n  \"version\": 1,\n  \"read\": { \"deny\": [\"x\"] }\n}",
       "{\n  \"version\": 1,\n  \"read\": { \"deny\": [\"x\"], \"allow\": [\".\", \"src\"] }\n}"},
      {"nothing", "{ \"version\": 1 }",
       "{ \"version\": 1, \"read\": { \"allow\": [\".\", \"src\"] } }"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    std::string text = row.before;
    const Result<bool> added = AddToList(text, "policy.json", {"read", "allow", "src", {"."}});
    REQUIRE(added.has_value());
    CHECK(*added);
    CHECK(text == row.after);
    CHECK(IsPolicy(text));
  }
}

TEST_CASE("policy edit: an existing entry is not added again") {
  std::string text = R"({ "version": 1, "read": { "allow": ["src"] } })";
  const std::string before = text;
  const Result<bool> added = AddToList(text, "policy.json", {"read", "allow", "src", {"."}});
  REQUIRE(added.has_value());
  CHECK_FALSE(*added);
  CHECK(text == before);
}

TEST_CASE("policy edit: a name with pattern characters matches itself and nothing else") {
  for (const char* name : {"app/[id]/page.tsx", "a*b", "what?", "back\\slash"}) {
    CAPTURE(name);
    CHECK(MatchPattern(EscapePattern(name), name, {}));
  }
  CHECK_FALSE(MatchPattern(EscapePattern("a*b"), "axb", {}));
}

TEST_CASE("starter policy: it is a valid policy, with servers and without") {
  CHECK(IsPolicy(StarterPolicy({})));
  CHECK(IsPolicy(StarterPolicy({"team", "git_hub"})));
}

TEST_CASE("starter policy: uncommenting a server permits it") {
  std::string text = StarterPolicy({"team", "git_hub"});
  const size_t at = text.find("// \"mcp__team__*\",");
  REQUIRE(at != std::string::npos);
  text.erase(at, 3);
  std::vector<Error> mistakes;
  const auto file =
      LoadPolicy({text, "/policy.json", "policy.json", true, &ClaudeCode()}, mistakes);
  REQUIRE(file != nullptr);
  REQUIRE(file->sections.tools.allow.has_value());
  CHECK(file->sections.tools.allow->front().pattern == "mcp__team__*");
}

TEST_CASE("starter policy: uncommenting the network lists hosts") {
  std::string text = StarterPolicy({});
  const size_t at = text.find("// \"network\": {");
  REQUIRE(at != std::string::npos);
  text.erase(at, 3);
  std::vector<Error> mistakes;
  const auto file =
      LoadPolicy({text, "/policy.json", "policy.json", true, &ClaudeCode()}, mistakes);
  REQUIRE(file != nullptr);
  REQUIRE(file->sections.network->allow.has_value());
  CHECK(file->sections.network->allow->back().written == "registry.npmjs.org");
}

TEST_CASE("grant: the meaning of a word") {
  struct Row {
    const char* text;
    std::optional<TargetKind> want;
  };
  static constexpr Row kRows[] = {
      {"Read", TargetKind::kTool},
      {"mcp__team__*", TargetKind::kTool},
      {"NewTool", {}},
      {"@session-tools", TargetKind::kTool},
      {"@toolchains", TargetKind::kPath},
      {"/srv", TargetKind::kPath},
      {"~/src", TargetKind::kPath},
      {"../x.example", TargetKind::kPath},
      {"no-such-name", {}},
      {"registry.example", TargetKind::kHost},
      {"*.example.org:443", TargetKind::kHost},
      {"localhost:8080", TargetKind::kHost},
      {"localhost", TargetKind::kHost},
      {"crates.io", TargetKind::kHost},
      {"example.com", TargetKind::kHost},
      {"vercel.app", TargetKind::kHost},
      {"127.0.0.1", TargetKind::kHost},
      {"[::1]", TargetKind::kHost},
      {"[::1]:8080", TargetKind::kHost},
      {"www.example.md:443", TargetKind::kHost},
      {"*.example.rs", TargetKind::kHost},
      {"*.example", TargetKind::kHost},
      {"*.log", {}},
      // Domain-like words that end like files.
      {"no-such-notes.md", {}},
      {"no-such-main.rs", {}},
      {"no-such-foo.py", {}},
      {"no-such-setup.sh", {}},
      {"no-such-data.zip", {}},
      {"no-such-script.pl", {}},
      {"no-such-lib.so", {}},
      {"no-such-x.cc", {}},
      {"no-such.test.ts", {}},
      {"no-such-package.json", {}},
      {"no-such-x.c", {}},
      {"No-Such-README.txt", {}},
      {"NoSuch.Example", {}},
      {"no_such.example", {}},
      {"a file.md", {}},
      {"1.2.3", {}},
      {".no-such-env", TargetKind::kPath},
      {"", {}},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    CHECK((KindOf(row.text) == row.want));
  }
}

TEST_CASE("grant: the host of a URL") {
  CHECK(HostOfUrl("https://X.example/a?b").value() == "x.example");
  CHECK(HostOfUrl("http://x.example:80").value() == "x.example");
  CHECK(HostOfUrl("https://x.example:8443/").value() == "x.example:8443");
  CHECK(HostOfUrl("https://[::1]:8443/").value() == "[::1]:8443");
  CHECK_FALSE(HostOfUrl("https://user@x.example/").has_value());
  CHECK_FALSE(HostOfUrl("file:///etc/hosts").has_value());
  CHECK_FALSE(HostOfUrl("https://").has_value());
}

TEST_CASE("grant: spellings of a path in a policy") {
  struct Row {
    std::string text, in_project, elsewhere;
  };
  const TemporaryTree tree;
  tree.Directory("home/p/sub");
  tree.Directory("out");
  tree.Directory("home/p/[id]");
  tree.Directory("home/p/~x");
  tree.Link("home/p/link", tree.At("out"));
  const std::string home = tree.At("home");
  const std::string project = tree.At("home/p");
  const std::string out = tree.At("out");
  const Row kRows[] = {
      {".", ".", "~/p"},
      {"sub", "sub", "~/p/sub"},
      {"new/file", "new/file", "~/p/new/file"},
      {"sub/../sub//x", "sub/x", "~/p/sub/x"},
      {"[id]", "\\[id]", "~/p/\\[id]"},
      {"src/*.ts", "src/*.ts", "~/p/src/*.ts"},
      {"~x/y", "", ""},
      {"./~x", "./~x", "~/p/~x"},
      {"~", "~", "~"},
      {"~/src", "~/src", "~/src"},
      {"link/f", out + "/f", out + "/f"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.text);
    const Result<GrantTarget> grant = MakeTarget(TargetKind::kPath, row.text, project, home);
    if (row.in_project.empty()) {
      CHECK_FALSE(grant.has_value());
      continue;
    }
    REQUIRE(grant.has_value());
    CHECK(EntryFor(*grant, project, home) == row.in_project);
    CHECK(EntryFor(*grant, "", home) == row.elsewhere);
  }
}

}  // namespace
