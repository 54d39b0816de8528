#include "policy/evaluate/evaluate_tool.h"

#include <doctest/doctest.h>

#include "tests/support/world.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view name, want;
};

std::string_view Word(const NameDecision& decision) { return VerdictName(decision.verdict); }

Policy PolicyOf(World& world, std::string_view members) {
  world.User(members);
  return world.Merged(world.EventOf("Bash", "{}"));
}

}  // namespace

TEST_CASE("evaluator tool: globs match any characters") {
  World world;
  const Policy policy =
      PolicyOf(world, R"("tools":{"allow":["mcp__team__*","mcp__*__list","Read"]})");
  static constexpr Row kRows[] = {
      {"mcp__team__x", "permit"},
      {"mcp__team__", "permit"},
      {"mcp__team_", "deny"},
      {"mcp__a__list", "permit"},
      {"mcp__a__b__list", "permit"},
      {"mcp__a__lists", "deny"},
      {"Read", "permit"},
      {"Reader", "deny"},
      {"", "deny"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Word(EvaluateTool(row.name, policy)) == row.want);
  }
}

TEST_CASE("evaluator tool: a single star is every tool, but denies and asks still apply") {
  World world;
  const Policy policy =
      PolicyOf(world, R"("tools":{"allow":["*"],"deny":["mcp__x__*"],"ask":["Web*"]})");
  static constexpr Row kRows[] = {{"mcp__a__b", "permit"}, {"Anything", "permit"},
                                  {"mcp__x__b", "deny"},   {"MCP__X__b", "deny"},
                                  {"WebFetch", "ask"},     {"webfetch", "permit"}};
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Word(EvaluateTool(row.name, policy)) == row.want);
  }
}

TEST_CASE("evaluator tool: a pattern for a server's tools names the server") {
  World world;
  const Policy policy = PolicyOf(
      world, R"("tools":{"allow":["mcp__team__*","mcp__one__send","mcp__claude_ai_Mail__*"]})");
  static constexpr Row kRows[] = {
      {"team", "permit"},           {"teams", "deny"}, {"tea", "deny"},       {"one", "deny"},
      {"claude.ai Mail", "permit"}, {"", "deny"},      {"team__x", "permit"}, {"*", "deny"}};
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(Word(EvaluateMcpServer(row.name, policy)) == row.want);
  }
}

TEST_CASE("evaluator tool: a server is denied if an untrusted file lists none of its tools") {
  World world;
  world.Project(R"("tools":{"allow":["mcp__other__*"]})", false);
  const Policy policy = PolicyOf(world, R"("tools":{"allow":["mcp__team__*"]})");
  CHECK(Word(EvaluateMcpServer("team", policy)) == "deny");
  CHECK(Word(EvaluateMcpServer("other", policy)) == "deny");
}
