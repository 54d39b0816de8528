// One entry of a read or write list: its text becomes a rule, or a mistake.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/policy.h"

namespace ringfence {

enum class ListKind : uint8_t { kAllow, kAsk, kDeny };
// Fills in `rule`, but for its place. Its views point into `text` or into `strings`. The error has
// no place.
Status ParsePathEntry(std::string_view text, ListKind kind, std::deque<std::string>& strings,
                      PathRule* rule);

}  // namespace ringfence
