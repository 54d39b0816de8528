#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace ringfence {

// Appends `value`, unless an equal one is there.
template <typename T, typename U>
void AddOnce(std::vector<T>& values, U&& value) {
  if (std::ranges::find(values, value) == values.end()) values.emplace_back(std::forward<U>(value));
}

}  // namespace ringfence
