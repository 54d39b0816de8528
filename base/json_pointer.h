// JSON pointers (RFC 6901).
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

// Appends a member's key with "~" and "/" escaped. The caller appends the "/" before it.
void AppendPointerKey(std::string& pointer, std::string_view key);

// "/sandbox/network/allowedDomains" in the common notation: "sandbox.network.allowedDomains".
std::string DottedKey(std::string_view pointer);

}  // namespace ringfence
