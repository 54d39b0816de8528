#include "policy/rules/own_loopback.h"

#include <optional>

#include "policy/rules/address.h"
#include "policy/rules/domain.h"

namespace ringfence {

bool IsOwnLoopback(const HostRule& rule) {
  const std::optional<Address> address = ParseAddress(rule.host);
  if (address && (*address == ParseAddress("0.0.0.0") || *address == Address{})) return true;
  return IsLocalhost(rule.host) || (address && KindOfAddress(*address) == AddressKind::kLoopback);
}

}  // namespace ringfence
