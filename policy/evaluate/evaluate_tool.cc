#include "policy/evaluate/evaluate_tool.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/case_fold.h"
#include "base/text.h"
#include "policy/agent.h"
#include "policy/evaluate/fix.h"
#include "policy/mcp/mcp_name.h"
#include "policy/rules/pattern.h"
#include "policy/rules/sets.h"

namespace ringfence {
namespace {

bool MatchesOne(const NameRule& rule, std::string_view tool, const Agent& agent) {
  if (rule.set == ToolSet::kSession) return agent.session_tools.Contains(tool);
  if (rule.set == ToolSet::kKnown) return agent.tools.Find(tool).has_value();
  return MatchName(rule.pattern, tool);
}

// The names of one tool, and the agent it belongs to.
struct Names {
  const Agent& agent;
  std::vector<std::string_view> all;
};

// Returns every name of the tool: a rule for one name applies to all.
Names AllNamesOf(std::string_view tool, const Agent& agent) {
  Names names{agent, {tool}};
  if (IsMcpTool(tool)) return names;
  const std::optional<KnownTool> known = agent.tools.Find(tool);
  if (!known) return names;
  names.all.push_back(known->name);
  names.all.insert(names.all.end(), known->aliases.begin(), known->aliases.end());
  return names;
}

// Adds the name by which a deny or ask rule covers every shell (Bash).
Names WithShell(Names names, std::string_view tool) {
  if (names.agent.tools.IsShell(tool)) names.all.push_back(names.agent.shell);
  return names;
}

bool Matches(const NameRule& rule, const Names& names) {
  return std::ranges::any_of(
      names.all, [&](std::string_view name) { return MatchesOne(rule, name, names.agent); });
}

void Note(Trace* trace, const NameRule* rule) {
  if (trace != nullptr && rule != nullptr) {
    trace->rules.push_back({rule->place, std::string(rule->pattern)});
  }
}

const NameRule* FirstMatch(const std::vector<NameRule>& rules, const Names& names) {
  const auto rule =
      std::ranges::find_if(rules, [&](const NameRule& r) { return Matches(r, names); });
  return rule == rules.end() ? nullptr : &*rule;
}

// Deny rules ignore letter case.
const NameRule* FindDeny(const std::vector<NameRule>& rules, const Names& names) {
  if (rules.empty()) return nullptr;
  if (const NameRule* rule = FirstMatch(rules, names)) return rule;
  for (const std::string_view name : names.all) {
    const std::string folded = FoldName(name);
    const auto rule = std::ranges::find_if(rules, [&](const NameRule& r) {
      return r.set == ToolSet::kNone && MatchName(FoldName(r.pattern), folded);
    });
    if (rule != rules.end()) return &*rule;
  }
  return nullptr;
}

std::string DenialText(const NameRule& rule) {
  return "denied by " + (rule.place.quotable ? Quote(rule.pattern) : "the project's policy");
}

std::string QuestionText(const NameRule& rule) {
  if (!rule.place.quotable) return "the project's policy asks about it";
  return "the policy asks about " + Quote(rule.pattern);
}

std::optional<RulePlace> FirstPlace(const std::vector<NameRule>& list) {
  if (list.empty()) return {};
  return list.front().place;
}

// Returns the first narrowing list that does not contain the tool.
const std::vector<NameRule>* NarrowerWithout(const Names& names, const ToolRules& rules,
                                             Trace* trace) {
  for (const std::vector<NameRule>& list : rules.narrower) {
    const NameRule* narrower = FirstMatch(list, names);
    Note(trace, narrower);
    if (narrower == nullptr) return &list;
  }
  return nullptr;
}

// Returns the cause if the allow lists do not contain the tool with these names.
std::optional<Cause> NotAllowed(std::string_view tool, const Names& names, const Policy& policy,
                                Trace* trace) {
  const ToolRules& rules = policy.tools;
  const bool known =
      rules.known_tools && names.all.size() > 1;  // a known tool also has its main name
  const NameRule* named = FirstMatch(rules.names, names);
  Note(trace, named);
  const std::vector<NameRule>* narrower = NarrowerWithout(names, rules, trace);
  if (narrower == nullptr && (known || named != nullptr)) return {};
  Cause cause{"tool " + Quote(tool), "not in the list of what is allowed"};
  if (narrower != nullptr) {  // adding it to the user's own list would not help
    cause.place = FirstPlace(*narrower);
  } else if (IsMcpTool(tool)) {
    cause.why = "the policy does not list this MCP tool";
  } else if (rules.known_tools) {
    cause.why = "it is not a tool that ringfence knows";
  }
  if (narrower == nullptr && !rules.known_tools) cause.place = FirstPlace(rules.names);
  cause.remedy = AllowFix(policy, cause.place, ToolWords(tool, names.agent));
  return cause;
}

}  // namespace

NameDecision EvaluateTool(std::string_view tool, const Policy& policy, Trace* trace) {
  const ToolRules& rules = policy.tools;
  const Names names = AllNamesOf(tool, *policy.agent);
  const Names strict = WithShell(names, tool);
  if (const NameRule* rule = FindDeny(rules.deny, strict)) {
    Note(trace, rule);
    return {Verdict::kDeny, Cause{"tool " + Quote(tool), DenialText(*rule), rule->place}};
  }
  if (auto cause = NotAllowed(tool, names, policy, trace)) {
    return {Verdict::kDeny, std::move(cause)};
  }
  if (const NameRule* rule = FirstMatch(rules.ask, strict)) {
    Note(trace, rule);
    return {Verdict::kAsk, Cause{"tool " + Quote(tool), QuestionText(*rule), rule->place}};
  }
  return {};
}

NameDecision EvaluateMcpServer(std::string_view server, const Policy& policy, Trace* trace) {
  const std::string name = "mcp__" + McpNamePart(server);
  const std::string resources = name + "__resources";
  const std::string what = "resource of the MCP server " + Quote(server);
  const ToolRules& rules = policy.tools;
  const Names names{*policy.agent, {name, resources}};
  const auto find = [&](const std::vector<NameRule>& list) {
    const NameRule* rule = FirstMatch(list, names);
    Note(trace, rule);
    return rule;
  };
  if (const NameRule* rule = FindDeny(rules.deny, names)) {
    Note(trace, rule);
    return {Verdict::kDeny, Cause{what, DenialText(*rule), rule->place}};
  }
  const bool is_named = find(rules.names) != nullptr;
  const std::vector<NameRule>* narrower = NarrowerWithout(names, rules, trace);
  if (!is_named || narrower != nullptr) {
    std::optional<RulePlace> place;
    if (narrower != nullptr) {
      place = FirstPlace(*narrower);
    } else if (!rules.known_tools) {
      place = FirstPlace(rules.names);
    }
    return {Verdict::kDeny, Cause{what, "the policy does not name the server", place,
                                  AllowFix(policy, place, ShellWord(name + "__*"))}};
  }
  if (const NameRule* rule = find(rules.ask)) {
    return {Verdict::kAsk, Cause{what, QuestionText(*rule), rule->place}};
  }
  return {};
}

}  // namespace ringfence
