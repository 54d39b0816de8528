#include "policy/load/merge_sections.h"

#include <algorithm>
#include <utility>

#include "policy/load/tighten.h"

namespace ringfence {
namespace {

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
    if (said.ask) rules.ask.emplace_back(*said.ask);
    if (said.deny) rules.deny.emplace_back(*said.deny);
  }
  // The built-in denies and asks add up like all others; only an empty list in the user's own
  // policy drops them.
  const auto drops = [](const std::optional<std::vector<PathRule>>& list) {
    return list && list->empty();
  };
  const RuleLists<PathRule>& defaults = built_in.*lists;
  const auto add = [&drops](const auto& list, const auto& own_list, PathRuleList& to) {
    if (list && !drops(own_list) && !NamesSets(to, *list)) to.emplace_back(*list);
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
    if (said.ask) rules.ask.insert(rules.ask.end(), said.ask->begin(), said.ask->end());
    if (said.deny) rules.deny.insert(rules.deny.end(), said.deny->begin(), said.deny->end());
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
  if (!over.allow) over.allow = base.allow;
  if (!over.unlisted) over.unlisted = base.unlisted;
  if (!over.inspect) over.inspect = base.inspect;
  if (!base.deny) return over;
  if (!over.deny) over.deny.emplace();
  over.deny->insert(over.deny->end(), base.deny->begin(), base.deny->end());
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

}  // namespace ringfence
