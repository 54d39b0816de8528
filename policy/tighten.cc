#include "policy/tighten.h"

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
    // Hosts were not judged before: denies alone take away no more than they say. And a sandbox
    // without network gets none by being told of hosts.
    rules.emplace();
    rules->unlisted = over.allow ? Unlisted::kDeny : Unlisted::kAllow;
    if (over.unlisted) rules->unlisted = *over.unlisted;
    rules->opens_sandbox = false;
    rules->place = over.place;
  }
  if (over.allow) rules->allow.push_back(*over.allow);
  Narrow(rules->unlisted, over.unlisted);
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
  if (section.allow) rules.allow.push_back(*section.allow);
  rules.unlisted = section.unlisted.value_or(Unlisted::kDeny);
  rules.place = section.place;
  AddNetwork(rules, section);
  return rules;
}

void TightenAllows(Policy& policy, const Sections& over, const Sections* profile) {
  const Sections& own = profile == nullptr ? over : *profile;
  NarrowTools(policy.tools, own.tools.allow ? own.tools : over.tools);
  NarrowPaths(policy.read, own.read.allow ? own.read : over.read);
  NarrowPaths(policy.write, own.write.allow ? own.write : over.write);
  const auto& network = own.network ? own.network : over.network;
  if (network) NarrowNetwork(policy.network, *network);
  const Sections& bash = own.unsandboxed ? own : over;
  if (bash.unsandboxed && *bash.unsandboxed < policy.unsandboxed) {
    policy.unsandboxed = *bash.unsandboxed;
    policy.unsandboxed_place = bash.unsandboxed_place;
  }
  if (own.wrap_bash == true) policy.wrap_bash = true;
  Narrow(policy.permitted, own.permitted ? own.permitted : over.permitted);
  NarrowSandbox(policy.sandbox, own.sandbox);
  if (own.stage.trusted) Intersect(policy.stage.trusted, *own.stage.trusted);
  if (own.stage.sandbox == true) policy.stage.sandbox = true;
  if (own.stage.auto_apply == false) policy.stage.auto_apply = false;
}

void Tighten(Policy& policy, const Sections& over, bool trusted) {
  TightenAllows(policy, over, nullptr);
  AddTools(policy.tools, over.tools);
  AddPaths(policy.read, over.read);
  AddPaths(policy.write, over.write);
  if (over.network) AddNetwork(*policy.network, *over.network);
  for (McpFields fields : over.mcp) {
    fields.adds_only = true;
    policy.mcp.push_back(std::move(fields));
  }
  if (over.stage.verify) AppendTo(policy.stage.verify, *over.stage.verify);
  if (trusted && over.say) policy.say = *over.say;
}

}  // namespace ringfence
