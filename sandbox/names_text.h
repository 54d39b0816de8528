// GuardedNames as bytes, for a nested sandbox: the outer supervisor evaluates these rules too.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sandbox/guarded_names.h"

namespace ringfence {

// Omits exemptions: the private directories belong to the outer sandbox, which knows them.
std::string PackNames(const GuardedNames& names);

// Returns nothing if the bytes are malformed or truncated. They come from an untrusted process.
std::optional<GuardedNames> UnpackNames(std::string_view bytes);

}  // namespace ringfence
