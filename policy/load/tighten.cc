#include "policy/load/tighten.h"

namespace ringfence {
namespace {

template <typename T>
void AppendTo(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

template <typename T>
void Narrow(T& value, const std::optional<T>& limit) {
  if (limit && *limit < value) value = *limit;
}

void NarrowPaths(PathRules& rules, const RuleLists<PathRule>& over) {
  if (!over.allow) return;
  PathRuleList& permitted = rules.allow.emplace_back();
  permitted.emplace_back(*over.allow);
  AppendPermittedAsks(permitted, over.ask);
}

void AddPaths(PathRules& rules, const RuleLists<PathRule>& over) {
  if (over.ask) rules.ask.emplace_back(*over.ask);
  if (over.deny) rules.deny.emplace_back(*over.deny);
}

void NarrowTools(ToolRules& rules, const RuleLists<NameRule>& over) {
  if (!over.allow) return;
  std::vector<NameRule>& named = rules.narrower.emplace_back(*over.allow);
  if (over.ask) AppendTo(named, *over.ask);
}

void AddTools(ToolRules& rules, const RuleLists<NameRule>& over) {
  if (over.ask) AppendTo(rules.ask, *over.ask);
  if (over.deny) AppendTo(rules.deny, *over.deny);
}

void NarrowNetwork(std::optional<NetworkRules>& rules, const NetworkSection& over) {
  if (!rules) {
    // The hook did not evaluate hosts before. A list of hosts does not open a sandbox without
    // network.
    rules.emplace();
    rules->opens_sandbox = false;
  }
  if (over.allow) {
    rules->lists.push_back({*over.allow, over.unlisted.value_or(Unlisted::kDeny), over.place});
  } else if (over.unlisted && rules->lists.empty()) {
    rules->lists.push_back({{}, *over.unlisted, over.place});
  } else {
    for (HostList& list : rules->lists) Narrow(list.unlisted, over.unlisted);
  }
}

void AddNetwork(NetworkRules& rules, const NetworkSection& over) {
  if (over.deny) AppendTo(rules.deny, *over.deny);
  if (over.inspect) AppendTo(rules.inspect, *over.inspect);
}

}  // namespace

void AppendPermittedAsks(PathRuleList& permitted, const std::optional<std::vector<PathRule>>& ask) {
  if (!ask) return;
  for (const PathRule& rule : *ask) {
    const bool names_place = rule.set == SetName::kNone && rule.base != RuleBase::kAnywhere;
    if (names_place) permitted.emplace_back(&rule, 1);
  }
}

NetworkRules NetworkOf(const NetworkSection& section) {
  NetworkRules rules;
  rules.lists.push_back({section.allow.value_or(std::vector<HostRule>{}),
                         section.unlisted.value_or(Unlisted::kDeny), section.place});
  AddNetwork(rules, section);
  return rules;
}

void TightenLists(Policy& policy, const AllowLists& lists) {
  NarrowTools(policy.tools, lists.tools);
  NarrowPaths(policy.read, lists.read);
  NarrowPaths(policy.write, lists.write);
}

void TightenNetwork(Policy& policy, const std::optional<NetworkSection>& over) {
  if (over) NarrowNetwork(policy.network, *over);
}

void AddMcp(Policy& policy, const Sections& over) {
  for (McpFields fields : over.mcp) {
    fields.adds_only = true;
    policy.mcp.push_back(std::move(fields));
  }
}

void Tighten(Policy& policy, const Sections& over, bool trusted) {
  TightenLists(policy, {over.tools, over.read, over.write});
  TightenNetwork(policy, over.network);
  TightenKeys(policy, over.keys, trusted ? TightLayer::kTrustedEvent : TightLayer::kUntrusted);
  AddTools(policy.tools, over.tools);
  AddPaths(policy.read, over.read);
  AddPaths(policy.write, over.write);
  if (over.network) AddNetwork(*policy.network, *over.network);
  AddMcp(policy, over);
}

}  // namespace ringfence
