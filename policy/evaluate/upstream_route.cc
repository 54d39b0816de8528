#include "policy/evaluate/upstream_route.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

bool HasUpstream(const Policy& policy) { return policy.network && policy.network->upstream; }

bool IsPrivateName(const HostRule& wanted, const NetworkRules& network) {
  const auto covers = [&](const PrivateRule& rule) { return Covers(rule.host, wanted); };
  return std::ranges::any_of(network.private_lists, [&](const PrivateList& list) {
    return std::ranges::any_of(list.rules, covers);
  });
}

}  // namespace

// For localhost the proxy would connect to its own machine.
bool IsLeftToUpstream(std::string_view host, uint16_t port, const Policy& policy) {
  if (!HasUpstream(policy) || host == kHostLoopback || ParseAddress(host) || IsLocalhost(host)) {
    return false;
  }
  return !IsPrivateName({.host = host, .port = port}, *policy.network);
}

bool IsBeyondUpstream(const Address& address, const Policy& policy) {
  return HasUpstream(policy) && KindOfAddress(address) == AddressKind::kPublic;
}

NameDecision DeniedUpstream(std::string_view host, uint16_t port, const Address& address,
                            const Upstream& upstream) {
  const std::string text = std::string(host) + ":" + std::to_string(port);
  return {Verdict::kDeny,
          Cause{"connection to " + Quote(text),
                "its address " + AddressText(address) + std::string(kIsUpstream), upstream.place}};
}

}  // namespace ringfence
