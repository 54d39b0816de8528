// One entry of a read or write list: its text becomes a rule, or a mistake.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/policy.h"

namespace ringfence {

// One entry of a read or write list, as `ringfence allow` and the sets need it too. The views of
// the result point into `text` or into `strings`.
enum class ListKind : uint8_t { kAllow, kAsk, kDeny };
// The views of the result point into `text` or into `strings`. The error has no place.
Result<PathRule> ParsePathEntry(std::string_view text, ListKind kind,
                                std::deque<std::string>& strings);

}  // namespace ringfence
