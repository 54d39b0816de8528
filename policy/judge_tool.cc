#include "policy/judge_tool.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/case_fold.h"
#include "base/text.h"
#include "policy/fix.h"
#include "policy/mcp_name.h"
#include "policy/pattern.h"
#include "policy/sets.h"
#include "policy/tools.h"

namespace ringfence {
namespace {

bool MatchesOne(const NameRule& rule, std::string_view tool) {
  if (rule.session_tools) return SessionTools().Contains(tool);
  return MatchName(rule.pattern, tool);
}

// By any of the tool's names.
template <typename Match>
bool AnyName(std::string_view tool, Match match) {
  const std::string_view main = MainToolName(tool);
  if (match(tool) || (main != tool && match(main))) return true;
  return std::ranges::any_of(ToolAliases(), [&](const ToolAlias& alias) {
    return alias.tool == main && alias.alias != tool && match(alias.alias);
  });
}

bool Matches(const NameRule& rule, std::string_view tool) {
  return AnyName(tool, [&](std::string_view name) { return MatchesOne(rule, name); });
}

void Note(Trace* trace, const NameRule* rule) {
  if (trace != nullptr && rule != nullptr) {
    trace->rules.push_back({rule->place, std::string(rule->pattern)});
  }
}

const NameRule* Find(const std::vector<NameRule>& rules, std::string_view tool) {
  const auto rule =
      std::ranges::find_if(rules, [&](const NameRule& r) { return Matches(r, tool); });
  return rule == rules.end() ? nullptr : &*rule;
}

// Denies forgive letter case.
const NameRule* FindDeny(const std::vector<NameRule>& rules, std::string_view tool) {
  if (const NameRule* rule = Find(rules, tool)) return rule;
  const auto rule = std::ranges::find_if(rules, [&](const NameRule& r) {
    if (r.session_tools) return false;
    const std::string pattern = FoldName(r.pattern);
    return AnyName(tool, [&](std::string_view name) { return MatchName(pattern, FoldName(name)); });
  });
  return rule == rules.end() ? nullptr : &*rule;
}

// The names under which a denial or a question may stand: whoever keeps Bash from the model means
// every shell.
std::array<std::string_view, 2> StrictNames(std::string_view tool) {
  return {tool, IsOtherShell(tool) ? "Bash" : tool};
}

std::string RuleText(const NameRule& rule, std::string_view did) {
  if (!rule.place.quotable) return std::string(did) + " by the project's policy";
  return std::string(did) + " by " + Quote(rule.pattern);
}

NameJudgement Denied(std::string what, std::string why, std::optional<RulePlace> place,
                     std::string remedy) {
  return {Verdict::kDeny, Cause{std::move(what), std::move(why), place, std::move(remedy)}};
}

std::optional<RulePlace> PlaceOf(const std::vector<NameRule>& list) {
  if (list.empty()) return {};
  return list.front().place;
}

// The first of the lists that narrow the others and do not have it.
const std::vector<NameRule>* NarrowerWithout(std::string_view tool, const ToolRules& rules,
                                             Trace* trace) {
  for (const std::vector<NameRule>& list : rules.narrower) {
    const NameRule* narrower = Find(list, tool);
    Note(trace, narrower);
    if (narrower == nullptr) return &list;
  }
  return nullptr;
}

// Why the lists of what is allowed do not have it.
std::optional<Cause> NotAllowed(std::string_view tool, const Policy& policy, Trace* trace) {
  const ToolRules& rules = policy.tools;
  Cause cause{"tool " + Quote(tool), "not in the list of what is allowed", {}, ""};
  const bool known = rules.known_tools && !IsMcpTool(tool) && FindTool(tool) != nullptr;
  const NameRule* named = Find(rules.names, tool);
  Note(trace, named);
  const std::vector<NameRule>* narrower = NarrowerWithout(tool, rules, trace);
  if (narrower != nullptr) {  // adding it to the user's own list would not help
    cause.place = PlaceOf(*narrower);
  } else if (known || named != nullptr) {
    return {};
  } else if (IsMcpTool(tool)) {
    cause.why = "the policy names no such MCP tool";
  } else if (rules.known_tools) {
    cause.why = "it is not a tool that ringfence knows";
  }
  if (narrower == nullptr && !rules.known_tools) cause.place = PlaceOf(rules.names);
  cause.remedy = AllowFix(policy, cause.place, ShellWord(tool));
  return cause;
}

}  // namespace

NameJudgement JudgeTool(std::string_view tool, const Policy& policy, Trace* trace) {
  const ToolRules& rules = policy.tools;
  const std::string what = "tool " + Quote(tool);
  for (const std::string_view name : StrictNames(tool)) {
    const NameRule* rule = FindDeny(rules.deny, name);
    if (rule == nullptr) continue;
    Note(trace, rule);
    return Denied(what, RuleText(*rule, "denied"), rule->place, "");
  }
  if (auto cause = NotAllowed(tool, policy, trace)) return {Verdict::kDeny, std::move(cause)};
  for (const std::string_view name : StrictNames(tool)) {
    const NameRule* rule = Find(rules.ask, name);
    if (rule == nullptr) continue;
    Note(trace, rule);
    return {Verdict::kAsk, Cause{what, RuleText(*rule, "to be asked about"), rule->place, ""}};
  }
  return {};
}

NameJudgement JudgeMcpServer(std::string_view server, const Policy& policy, Trace* trace) {
  const std::string name = "mcp__" + McpNamePart(server);
  const std::string resources = name + "__resources";
  const std::string what = "resource of the MCP server " + Quote(server);
  const ToolRules& rules = policy.tools;
  const auto find = [&](const std::vector<NameRule>& list) {
    const NameRule* rule = Find(list, name);
    if (rule == nullptr) rule = Find(list, resources);
    Note(trace, rule);
    return rule;
  };
  for (const std::string& text : {name, resources}) {
    if (const NameRule* rule = FindDeny(rules.deny, text)) {
      Note(trace, rule);
      return Denied(what, RuleText(*rule, "denied"), rule->place, "");
    }
  }
  const bool is_named = find(rules.names) != nullptr;
  const auto lacks = [&](const auto& list) { return find(list) == nullptr; };
  const auto narrower = std::ranges::find_if(rules.narrower, lacks);
  if (!is_named || narrower != rules.narrower.end()) {
    std::optional<RulePlace> place;
    if (narrower != rules.narrower.end()) {
      place = PlaceOf(*narrower);
    } else if (!rules.known_tools) {
      place = PlaceOf(rules.names);
    }
    return Denied(what, "the policy does not name the server", place,
                  AllowFix(policy, place, ShellWord(name + "__*")));
  }
  if (const NameRule* rule = find(rules.ask)) {
    return {Verdict::kAsk, Cause{what, RuleText(*rule, "to be asked about"), rule->place, ""}};
  }
  return {};
}

}  // namespace ringfence
