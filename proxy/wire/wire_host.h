// The host in a message of a binary protocol.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringfence {

// Returns the canonical form of a name or an address (PlainHost() of policy/rules/domain.h);
// nothing if it is not plain. Refuses percent signs and bytes above 0x7F, which PlainHost() would
// decode: no peer of such a protocol does.
std::optional<std::string> PlainWireHost(std::string_view sent);

}  // namespace ringfence
