// A second implementation of git's patterns in pathname mode, as simple as possible and regardless
// of speed, for comparison with MatchPattern().
#pragma once

#include <string_view>

#include "policy/rules/pattern.h"

namespace ringfence {

// Slow: for patterns and texts of a few dozen bytes.
bool SlowMatch(std::string_view pattern, std::string_view text, MatchOptions options);

}  // namespace ringfence
