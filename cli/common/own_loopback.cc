#include "cli/common/own_loopback.h"

#include <optional>

#include "policy/rules/address.h"

namespace ringfence {

bool IsOwnLoopback(const HostRule& rule) {
  const std::optional<Address> address = ParseAddress(rule.host);
  return rule.host == "localhost" || rule.host.ends_with(".localhost") ||
         (address && KindOfAddress(*address) == AddressKind::kLoopback);
}

}  // namespace ringfence
