#include "policy/load/merge_sections.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "policy/rules/domain.h"

namespace ringfence {
namespace {

// Appends the asks that name a place to `permitted`, because an ask permits with a question.
void AppendPermittedAsks(PathRuleList& permitted, const RuleList<PathRule>& ask) {
  if (!ask) return;
  for (const PathRule& rule : *ask) {
    const bool names_place = rule.set == SetName::kNone && rule.base != RuleBase::kAnywhere;
    if (names_place) permitted.emplace_back(&rule, 1);
  }
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
  AppendTo(rules.narrower.emplace_back(*over.allow), over.ask);
}

void AddTools(ToolRules& rules, const RuleLists<NameRule>& over) {
  AppendTo(rules.ask, over.ask);
  AppendTo(rules.deny, over.deny);
}

void AddNetwork(NetworkRules& rules, const NetworkSection& over) {
  AppendTo(rules.deny, over.deny);
  AppendTo(rules.inspect, over.inspect);
}

bool IsHostLoopback(const HostRule& rule) { return rule.host == kHostLoopback; }

NetworkRules NetworkOf(const NetworkSection& section) {
  NetworkRules rules;
  if (section.private_rules) {
    rules.private_lists.push_back({*section.private_rules, section.private_place});
  }
  rules.lists.push_back({section.allow.value_or(std::vector<HostRule>{}),
                         section.unlisted.value_or(Unlisted::kDeny), section.place});
  AddNetwork(rules, section);
  return rules;
}

using Chain = std::vector<const Sections*>;  // trusted, from the widest to the most specific

using PathLists = RuleLists<PathRule> Sections::*;

// True if the lists already contain all of `sets`. Evaluating a set twice takes time.
bool NamesSets(const PathRuleList& lists, const std::vector<PathRule>& sets) {
  return std::ranges::all_of(sets, [&lists](const PathRule& wanted) {
    return std::ranges::any_of(lists, [&wanted](std::span<const PathRule> list) {
      return wanted.set != SetName::kNone &&
             std::ranges::find(list, wanted.set, &PathRule::set) != list.end();
    });
  });
}

PathRules PathsOf(const Chain& chain, PathLists lists, const Sections& built_in,
                  const Sections& own) {
  PathRules rules;
  const RuleLists<PathRule>* allow = &(built_in.*lists);
  for (const Sections* sections : chain) {
    const RuleLists<PathRule>& said = sections->*lists;
    if (said.allow) allow = &said;
    AddPaths(rules, said);
  }
  // The built-in denies and asks add up like all others; only an empty list in the user's own
  // policy drops them.
  const RuleLists<PathRule>& defaults = built_in.*lists;
  const auto add = [](const auto& list, const auto& own_list, PathRuleList& to) {
    const bool is_dropped = own_list && own_list->empty();
    if (list && !is_dropped && !NamesSets(to, *list)) to.emplace_back(*list);
  };
  add(defaults.ask, (own.*lists).ask, rules.ask);
  add(defaults.deny, (own.*lists).deny, rules.deny);
  PathRuleList& permitted = rules.allow.emplace_back();
  permitted.emplace_back(*allow->allow);
  for (const Sections* sections : chain) {
    AppendPermittedAsks(permitted, (sections->*lists).ask);
  }
  return rules;
}

ToolRules ToolsOf(const Chain& chain) {
  ToolRules rules;
  const std::vector<NameRule>* allow = nullptr;
  for (const Sections* sections : chain) {
    const RuleLists<NameRule>& said = sections->tools;
    if (said.allow) allow = &*said.allow;
    AddTools(rules, said);
  }
  rules.known_tools = allow == nullptr;
  if (allow != nullptr) rules.names = *allow;
  rules.names.insert(rules.names.end(), rules.ask.begin(), rules.ask.end());
  return rules;
}

std::optional<NetworkRules> NetworkOfAll(const Chain& chain) {
  std::optional<NetworkSection> merged;
  for (const Sections* sections : chain) {
    if (!sections->network) continue;
    merged = merged ? MergedNetwork(*merged, *sections->network) : *sections->network;
  }
  if (!merged) return {};
  return NetworkOf(*merged);
}

// A more specific file's entry for a tool replaces a wider file's.
std::vector<McpFields> McpOf(const Chain& chain) {
  std::vector<McpFields> all;
  for (const Sections* sections : chain) {
    for (const McpFields& fields : sections->mcp) {
      std::erase_if(all, [&](const McpFields& old) { return old.tool == fields.tool; });
      all.push_back(fields);
    }
  }
  return all;
}

}  // namespace

NetworkSection MergedNetwork(const NetworkSection& base, NetworkSection over) {
  if (!over.allow) {
    over.allow = base.allow;
  } else if (over.of_project && base.allow) {
    // A project's list cannot repeat these entries.
    std::ranges::copy_if(*base.allow, std::back_inserter(*over.allow), IsHostLoopback);
  }
  if (!over.private_rules) {
    over.private_rules = base.private_rules;
    over.private_place = base.private_place;
  }
  if (!over.unlisted) over.unlisted = base.unlisted;
  if (!over.inspect) over.inspect = base.inspect;
  if (base.deny) AppendTo(over.deny ? *over.deny : over.deny.emplace(), base.deny);
  return over;
}

Policy MergeSections(const std::vector<const Sections*>& trusted, const Sections& built_in,
                     const Sections& own) {
  Policy policy;
  policy.tools = ToolsOf(trusted);
  policy.read = PathsOf(trusted, &Sections::read, built_in, own);
  policy.write = PathsOf(trusted, &Sections::write, built_in, own);
  policy.network = NetworkOfAll(trusted);
  policy.mcp = McpOf(trusted);
  MergeKeys(policy, built_in.keys);
  for (const Sections* sections : trusted) MergeKeys(policy, sections->keys);
  policy.package_stores.emplace_back("node_modules");
  return policy;
}

void TightenLists(Policy& policy, const AllowLists& lists) {
  NarrowTools(policy.tools, lists.tools);
  NarrowPaths(policy.read, lists.read);
  NarrowPaths(policy.write, lists.write);
}

void TightenNetwork(Policy& policy, const std::optional<NetworkSection>& over) {
  if (!over) return;
  std::optional<NetworkRules>& rules = policy.network;
  if (!rules) {
    // The hook did not evaluate hosts before. A list of hosts does not open a sandbox without
    // network.
    rules.emplace();
    rules->opens_sandbox = false;
  }
  // Without a list no private address is permitted. An untrusted file's entries do not count.
  if (over->private_rules && over->place.quotable && !rules->private_lists.empty()) {
    rules->private_lists.push_back({*over->private_rules, over->private_place});
  }
  if (over->allow) {
    rules->lists.push_back(
        {*over->allow, over->unlisted.value_or(Unlisted::kDeny), over->place, over->of_project});
  } else if (over->unlisted && rules->lists.empty()) {
    rules->lists.push_back({{}, *over->unlisted, over->place, over->of_project});
  } else {
    for (HostList& list : rules->lists) {
      list.unlisted = std::min(list.unlisted, over->unlisted.value_or(list.unlisted));
    }
  }
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
