// JSON pointers (RFC 6901).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ringfence {

// Appends a member's key with "~" and "/" escaped. The caller appends the "/" before it.
void AppendPointerKey(std::string& pointer, std::string_view key);
std::string DecodePointerKey(std::string_view key);

// True if `pointer` is at or below `pattern`, in which "*" matches any one component.
bool PointerCovers(std::string_view pattern, std::string_view pointer);
// True if one of the patterns covers it.
bool PointerCovers(std::span<const std::string_view> patterns, std::string_view pointer);

// "/sandbox/network/allowedDomains" in the common notation: "sandbox.network.allowedDomains".
std::string DottedKey(std::string_view pointer);

}  // namespace ringfence
