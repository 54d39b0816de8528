#include "tests/support/loaded.h"

#include "agents/claude/agent.h"
#include "policy/rules/sets.h"

namespace ringfence {
namespace {

std::string BaseText(RuleBase base) {
  switch (base) {
    case RuleBase::kRoot:
      return "root:";
    case RuleBase::kHome:
      return "home:";
    case RuleBase::kAbsolute:
      return "abs:";
    case RuleBase::kAnywhere:
      return "any:";
  }
  return "?";
}

std::string RuleText(const PathRule& rule) {
  if (rule.set != SetName::kNone) return std::string(SetText(rule.set));
  return BaseText(rule.base) + std::string(rule.tail) + (rule.has_pattern ? " (pattern)" : "");
}

}  // namespace

Loaded Load(std::string_view text, bool quotable) {
  Loaded loaded;
  loaded.file =
      LoadPolicy({std::string(text), "/etc/x/policy.json", "policy.json", quotable, &ClaudeCode()},
                 loaded.mistakes);
  return loaded;
}

std::string Mistakes(std::string_view text) {
  std::string all;
  for (const Error& mistake : Load(text).mistakes) {
    if (!all.empty()) all += '\n';
    all += mistake.text();
    if (!mistake.hint.empty()) all += " [" + mistake.hint + "]";
  }
  return all;
}

std::string PolicyWith(std::string_view members) {
  return R"({"version":1,)" + std::string(members) + "}";
}

std::string RulesText(const std::vector<PathRule>& rules) {
  std::string text;
  for (const PathRule& rule : rules) text += (text.empty() ? "" : ", ") + RuleText(rule);
  return text;
}

}  // namespace ringfence
