// JSON pointers (RFC 6901).
#pragma once

#include <string>
#include <string_view>

namespace ringfence {

// Appends a member's key, with "~" and "/" in it escaped. The "/" before it is the caller's.
void AppendPointerKey(std::string& pointer, std::string_view key);

// "/sandbox/network/allowedDomains" as people write it: "sandbox.network.allowedDomains".
std::string DottedKey(std::string_view pointer);

}  // namespace ringfence
