#include "policy/sandbox_network.h"

#include <algorithm>
#include <utility>

#include "policy/agent.h"

namespace ringfence {

std::optional<NetworkRules> SandboxNetwork(const Policy& policy, bool is_agent) {
  if (policy.network && policy.network->opens_sandbox) return policy.network;
  if (!is_agent) return {};
  NetworkRules rules = policy.network.value_or(NetworkRules{});
  HostList list;
  list.place = {.file = kBuiltInPolicy, .pointer = "/network/allow"};
  for (const std::string_view host : policy.agent->hosts) {
    list.allow.push_back({.host = host, .written = "@agent-hosts", .place = list.place});
  }
  list.allow.insert(list.allow.end(), policy.granted_hosts.begin(), policy.granted_hosts.end());
  rules.lists.push_back(std::move(list));
  rules.opens_sandbox = true;
  return rules;
}

bool IsHostNetwork(const NetworkRules& network) {
  const auto is_open = [](const HostList& list) { return list.unlisted == Unlisted::kAllow; };
  return !network.lists.empty() && std::ranges::all_of(network.lists, is_open);
}

}  // namespace ringfence
