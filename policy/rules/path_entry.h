// Parses one entry of a read or write list.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/policy.h"

namespace ringfence {

enum class ListKind : uint8_t { kAllow, kAsk, kDeny };
// Fills in `rule`, except its place. The views of `rule` point into `text` or into `strings`. An
// error has no place.
Status ParsePathEntry(std::string_view text, ListKind kind, std::deque<std::string>& strings,
                      PathRule* rule);

}  // namespace ringfence
