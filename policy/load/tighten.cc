#include "policy/load/tighten.h"

#include <algorithm>

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

template <typename T>
void NarrowLimit(std::optional<T>& value, const std::optional<T>& limit) {
  if (limit && (!value || *limit < *value)) value = limit;
}

// Keeps what both lists hold.
void Intersect(std::vector<std::string_view>& list, const std::vector<std::string_view>& other) {
  std::erase_if(
      list, [&](std::string_view item) { return std::ranges::find(other, item) == other.end(); });
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
    // Hosts were not judged before; and a sandbox without network gets none by being told of hosts.
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

void NarrowSandbox(SandboxRules& rules, const SandboxSection& over) {
  Narrow(rules.mode, over.mode);
  Narrow(rules.layers, over.layers);
  Narrow(rules.missing, over.missing);
  Narrow(rules.reads, over.reads);
  NarrowLimit(rules.memory, over.memory);
  NarrowLimit(rules.processes, over.processes);
  NarrowLimit(rules.cpus, over.cpus);
  NarrowLimit(rules.io, over.io);
  if (!over.env) return;
  if (rules.env) {
    Intersect(*rules.env, *over.env);
  } else {
    rules.env = over.env;
  }
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

void TightenLimits(Policy& policy, const Sections& over) {
  if (over.network) NarrowNetwork(policy.network, *over.network);
  if (over.unsandboxed && *over.unsandboxed < policy.unsandboxed) {
    policy.unsandboxed = *over.unsandboxed;
    policy.unsandboxed_place = over.unsandboxed_place;
  }
  if (over.wrap_bash == true) policy.wrap_bash = true;
  Narrow(policy.permitted, over.permitted);
  NarrowSandbox(policy.sandbox, over.sandbox);
  if (over.stage.trusted) Intersect(policy.stage.trusted, *over.stage.trusted);
  if (over.stage.sandbox == true) policy.stage.sandbox = true;
  if (over.stage.auto_apply == false) policy.stage.auto_apply = false;
}

void AddMcp(Policy& policy, const Sections& over) {
  for (McpFields fields : over.mcp) {
    fields.adds_only = true;
    policy.mcp.push_back(std::move(fields));
  }
}

void Tighten(Policy& policy, const Sections& over, bool trusted) {
  TightenLists(policy, {over.tools, over.read, over.write});
  TightenLimits(policy, over);
  AddTools(policy.tools, over.tools);
  AddPaths(policy.read, over.read);
  AddPaths(policy.write, over.write);
  if (over.network) AddNetwork(*policy.network, *over.network);
  AddMcp(policy, over);
  if (!trusted) return;  // neither its commands nor its words
  if (over.stage.verify) AppendTo(policy.stage.verify, *over.stage.verify);
  if (over.say) policy.say = *over.say;
}

}  // namespace ringfence
