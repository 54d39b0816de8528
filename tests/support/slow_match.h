// git's patterns in pathname mode once more, as plainly as they can be told and without any care
// for time, to hold MatchPattern() against.
#pragma once

#include <string_view>

#include "policy/rules/pattern.h"

namespace ringfence {

// Slow: for patterns and texts of a few dozen bytes.
bool SlowMatch(std::string_view pattern, std::string_view text, MatchOptions options);

}  // namespace ringfence
