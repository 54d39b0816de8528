#pragma once

#include <algorithm>

namespace ringfence {

// True if an element of `range` equals `value`.
template <typename Range, typename T>
bool Contains(const Range& range, const T& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

}  // namespace ringfence
