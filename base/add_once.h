#pragma once

#include <utility>
#include <vector>

#include "base/contains.h"

namespace ringfence {

// Appends `value` unless the vector already contains it.
template <typename T, typename U>
void AddOnce(std::vector<T>& values, U&& value) {
  if (!Contains(values, value)) values.emplace_back(std::forward<U>(value));
}

}  // namespace ringfence
