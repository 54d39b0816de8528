#include "cli/explain/built_in_rules.h"

#include <algorithm>

#include "base/text.h"
#include "policy/load/layers.h"
#include "policy/load/load.h"
#include "policy/rules/sets.h"

namespace ringfence {
namespace {

// Returns the deciding rule if it is a set such as "@secrets"; otherwise nullptr.
const RuleUse* DecidingRule(const TargetDecision& decision) {
  if (!decision.cause || !decision.cause->place) return nullptr;
  const auto rule = std::ranges::find_if(decision.rules, [&](const RuleUse& use) {
    return use.place == *decision.cause->place && use.written.starts_with('@') &&
           decision.cause->why.find(use.written) != std::string::npos;
  });
  return rule == decision.rules.end() ? nullptr : &*rule;
}

const PathRule* RuleAbout(const PathRuleList& lists, SetName set) {
  for (const std::span<const PathRule> list : lists) {
    const auto rule = std::ranges::find(list, set, &PathRule::set);
    if (rule != list.end()) return &*rule;
  }
  return nullptr;
}

}  // namespace

std::string AdviceOnBuiltIn(const TargetDecision& decision, const GrantTarget& grant,
                            const std::string& file) {
  const RuleUse* rule = DecidingRule(decision);
  if (rule == nullptr) return "";
  const bool is_secrets = rule->written == "@secrets" && rule->place.pointer.ends_with("/deny");
  const bool is_later = rule->written == "@runs-later" && rule->place.pointer.ends_with("/ask");
  if (!is_secrets && !is_later) return "";
  const std::string sections = is_later           ? "\"write\""
                               : grant.also_write ? "\"read\" and \"write\""
                                                  : "\"read\"";
  return "no ringfence allow lifts " + rule->written + ": only an empty list, " +
         (is_later ? "\"ask\": []" : "\"deny\": []") + " in " + sections + " of " + file +
         ", does, and that gives up all of " + rule->written + "; ";
}

std::string RemainingQuestion(const std::string& set, const Context& policies,
                              const std::string& file) {
  const PathSet* known = FindPathSet(set);
  const Result<Policy> policy = policies.PolicyFor();
  if (known == nullptr || !policy) return "";
  for (const auto& [section, rules] :
       {std::pair("read", &policy->read), std::pair("write", &policy->write)}) {
    const PathRule* rule = RuleAbout(rules->ask, known->set);
    if (rule == nullptr) continue;
    const RulePlace place = rule->place();
    std::string still = "tools still ask about " + Quote(set) + ": so says " + PlaceLabel(place);
    if (place.file == policies.sources.built_in->shown) {
      still.append("; to drop that question too, write \"ask\": [] in \"").append(section);
      still.append("\" of ").append(file);
    }
    return still;
  }
  return "";
}

}  // namespace ringfence
