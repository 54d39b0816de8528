#include "agents/claude/setup/tool_names.h"

#include <algorithm>
#include <array>

#include "agents/claude/agent.h"
#include "base/add_once.h"
#include "base/case_fold.h"
#include "base/contains.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/pattern.h"

namespace ringfence {
namespace {

// Names for which the client (2.1.330) has no tool, or has it under another name.
constexpr std::array<std::string_view, 7> kFormer = {
    "BashOutput", "KillShell", "LS", "MultiEdit", "NotebookRead", "Task", "TaskOutput"};

// Tools that ask the user; without a prompt they would get no answer.
constexpr std::array<std::string_view, 3> kQuestions = {"AskUserQuestion", "EnterPlanMode",
                                                        "ExitPlanMode"};

Verdict ToolVerdict(std::string_view tool, const Policy& policy) {
  return EvaluateTool(tool, policy).verdict;
}

bool IsToolDenied(std::string_view tool, const Policy& policy) {
  return ToolVerdict(tool, policy) == Verdict::kDeny;
}

// No tool is named "~": only a pattern for every tool matches it.
bool PermitsEveryTool(const Policy& policy) { return !IsToolDenied("~", policy); }

// True if a profile that an event chooses restores the client's prompts for its caller: a rule of
// the client would answer them for all callers.
bool SomeCallersArePrompted(const PolicySources& sources) {
  return std::ranges::any_of(sources.sources, [](const PolicySource& source) {
    return std::ranges::any_of(source.file->profiles, [](const Profile& profile) {
      return profile.when && profile.when->is_chosen_by_event() &&
             profile.sections.keys.Get<Permitted>("permitted") == Permitted::kClient;
    });
  });
}

void AddMcpGlobs(const std::vector<NameRule>& rules, const Policy& policy,
                 std::vector<std::string>& globs) {
  for (const NameRule& rule : rules) {
    if (IsMcpTool(rule.pattern) && !IsToolDenied(rule.pattern, policy))
      AddOnce(globs, rule.pattern);
  }
}

// False for a rule that the client skips: its tool begins with a lower-case letter and is not an
// MCP tool.
bool IsRule(std::string_view pattern) {
  const bool is_small = !pattern.empty() && pattern[0] >= 'a' && pattern[0] <= 'z';
  return !is_small || pattern.starts_with("mcp_");
}

void AddDenied(const NameRule& rule, ToolNames& names) {
  if (rule.set != ToolSet::kNone) return;
  if (IsRule(rule.pattern)) return AddOnce(names.denied, rule.pattern);
  // A policy's denies ignore letter case, so `missing` has the tools that they match by their own
  // names.
  const std::string folded = FoldName(rule.pattern);
  const bool is_said = std::ranges::any_of(
      names.missing, [&](const std::string& tool) { return MatchName(folded, FoldName(tool)); });
  const bool is_for_mcp = MatchName(folded, "mcp__server__tool");
  if (!is_said || is_for_mcp) AddOnce(names.lost, rule.pattern);
}

}  // namespace

ToolNames ToolNamesFor(const Policy& policy, const PolicySources& sources) {
  ToolNames names;
  names.every_tool = PermitsEveryTool(policy);
  const bool may_allow = policy.permitted == Permitted::kAllow && !SomeCallersArePrompted(sources);
  for (const KnownTool& tool : ClaudeCode().tools.All()) {
    if (Contains(kFormer, tool.name)) continue;
    const Verdict verdict = ToolVerdict(tool.name, policy);
    AddOnce(verdict == Verdict::kDeny ? names.missing : names.tools, tool.name);
    const bool is_allowed = may_allow && !tool.runs_code && !Contains(kQuestions, tool.name);
    if (is_allowed && verdict == Verdict::kPermit) names.allowed.emplace_back(tool.name);
  }
  AddMcpGlobs(policy.tools.names, policy, names.mcp);
  for (const auto& list : policy.tools.narrower) AddMcpGlobs(list, policy, names.mcp);
  for (const NameRule& rule : policy.tools.deny) AddDenied(rule, names);
  // The client offers every MCP tool that is not denied.
  if (names.mcp.empty() && !names.every_tool) AddOnce(names.denied, "mcp__*");
  return names;
}

}  // namespace ringfence
