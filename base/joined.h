#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace ringfence {

// Returns the words that `word_of` makes of the elements, with `separator` between them.
template <typename Range, typename Function>
std::string Joined(const Range& range, std::string_view separator, Function word_of) {
  std::string joined;
  bool is_first = true;
  for (const auto& element : range) {
    if (!std::exchange(is_first, false)) joined += separator;
    joined += word_of(element);
  }
  return joined;
}

}  // namespace ringfence
