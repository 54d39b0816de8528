#include <doctest/doctest.h>

#include <algorithm>

#include "agents/claude/agent.h"
#include "cli/permit/policy_edit.h"
#include "policy/load/load.h"

using namespace ringfence;

namespace {

constexpr const char* kHome = "/home/dev";

PolicySources Sources() {
  PolicySources sources;
  std::vector<Error> mistakes;
  sources.built_in = LoadPolicy(BuiltInPolicy(ClaudeCode()), mistakes);
  REQUIRE(sources.built_in != nullptr);
  return sources;
}

GrantTarget TargetFor(const std::string& text) {
  GrantTarget grant;
  grant.text = text;
  if (text.starts_with("mcp__")) {
    grant.kind = TargetKind::kTool;
  } else if (text.starts_with('/') || text.starts_with('@')) {
    grant.kind = TargetKind::kPath;
    if (text[0] == '/') grant.path = grant.named = text;
    grant.is_pattern = text.find('*') != std::string::npos;
  } else {
    grant.kind = TargetKind::kHost;
  }
  return grant;
}

ChangeTarget Target(const std::string& root = "") {
  return {.shown = "policy.json", .root = root, .home = kHome};
}

std::string Without(const std::string& policy, const std::string& what,
                    const std::string& root = "") {
  const PolicySources sources = Sources();
  Result<PolicyEdit> removal = RemoveTarget(TargetFor(what), sources, Target(root), policy);
  return removal ? removal->text : "error: " + removal.error().what;
}

TEST_CASE(
    "removal: after a write entry is removed, paths that were readable before stay readable") {
  const std::string before =
      R"({"version": 1, "read": {"allow": [".", "@claude-scratch", "@toolchains", "~/x"]}, )"
      R"("write": {"allow": ["."]}})";
  const GrantTarget grant = TargetFor("@toolchains");
  const Result<PolicyEdit> added = AddTarget(grant, Sources(), Target(), before);
  REQUIRE(added.has_value());
  CHECK(added->lists == std::vector<std::string>{"write.allow"});
  CHECK(Without(added->text, "@toolchains") == before);
  // Without a write entry, removal means the read entry.
  CHECK(Without(before, "@toolchains").find("@toolchains") == std::string::npos);
}

TEST_CASE("removal: an added entry is removed, byte for byte") {
  const std::string kPolicies[] = {
      "{\"version\": 1}", "{ \"version\": 1 } // mine\n", "{\n  \"version\": 1\n}\n",
      "{\n  \"version\": 1,\n  // a list\n  \"read\": {\n    \"allow\": [\".\", \"~/x\"], // two\n"
      "    \"deny\": [\"@secrets\"]\n  },\n  \"write\": { \"allow\": [\n    \".\",\n    \"~/x\"\n  "
      "] }\n}\n",
      "{\r\n\t\"version\": 1,\r\n\t\"tools\": {\"allow\": [\"Read\"]},\r\n\t\"network\": "
      "{\"allow\": [\"x.example\"]}\r\n}\r\n"};
  const PolicySources sources = Sources();
  for (const std::string& policy : kPolicies) {
    for (const char* what : {"/srv/data", "/home/dev/src", "/home/dev/src/*.c", "mcp__a__b",
                             "y.example", "@toolchains"}) {
      for (const bool as_question : {false, true}) {
        for (const bool also_write : {false, true}) {
          GrantTarget grant = TargetFor(what);
          grant.as_question = as_question && grant.kind != TargetKind::kHost;
          grant.also_write = also_write;
          CAPTURE(policy);
          CAPTURE(what);
          CAPTURE(as_question);
          const Result<PolicyEdit> added = AddTarget(grant, sources, Target(), policy);
          REQUIRE(added.has_value());
          // A host added to a policy without hosts creates a longer list, which removal cannot tell
          // from one that the user wrote.
          const bool is_new_network =
              grant.kind == TargetKind::kHost && policy.find("network") == std::string::npos;
          if (is_new_network) continue;
          const Result<PolicyEdit> removed = RemoveTarget(grant, sources, Target(), added->text);
          REQUIRE(removed.has_value());
          CHECK(removed->text == policy);
          CHECK(removed->lists == added->lists);
        }
      }
    }
  }
}

TEST_CASE("removal: an entry is found however the user wrote it") {
  for (const char* entry : {"~/src", "/home/dev/src", "~//src/", "/home/dev/./src", "~/src/"}) {
    const std::string policy =
        R"({"version": 1, "read": {"allow": [".", ")" + std::string(entry) + R"("]}})";
    CAPTURE(policy);
    CHECK(Without(policy, "/home/dev/src") == R"({"version": 1, "read": {"allow": ["."]}})");
  }
  CHECK(Without(R"({"version": 1, "read": {"allow": [".", "lib"], "ask": ["./lib/", "x"]}})",
                "/home/dev/p/lib",
                "/home/dev/p") == R"({"version": 1, "read": {"allow": ["."], "ask": ["x"]}})");
  CHECK(Without(R"({"version": 1, "network": {"allow": ["A.example", "b.example"]}})",
                "a.example") == R"({"version": 1, "network": {"allow": ["b.example"]}})");
}

TEST_CASE("removal: neighbours, denies and comments stay") {
  const std::string policy = R"({"version": 1, /* a */ "read": {"allow": [".", "~/src/x", "~/sr"],
    "deny": ["~/src"]}, // b
    "write": {"allow": ["."], "deny": ["~/src"]}})";
  CHECK(Without(policy, "/home/dev/src") == policy);
}

TEST_CASE("removal: a project's directory of the same name is left alone in the user's policy") {
  const std::string policy = R"({"version": 1, "read": {"allow": [".", "lib"]}})";
  CHECK(Without(policy, "/home/dev/p/lib") == policy);
  CHECK(Without(policy, "/home/dev/p") == policy);
}

TEST_CASE("removal: an allow list may not become empty, but an ask list may be removed") {
  CHECK(Without(R"({"version": 1, "read": {"allow": ["/srv"]}})", "/srv").starts_with("error: "));
  // An empty list would drop the built-in questions.
  CHECK(Without(R"({"version": 1, "write": {"ask": ["/srv"], "deny": ["x"]}})", "/srv") ==
        R"({"version": 1, "write": {"deny": ["x"]}})");
}

}  // namespace
