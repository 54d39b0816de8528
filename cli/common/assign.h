#pragma once

#include <utility>

#include "base/result.h"

namespace ringfence {

// Moves the value of `result` to `place`. Without a value, leaves `place` as it is and returns the
// error.
template <typename Place, typename T>
Status Assign(Place& place, Result<T> result) {
  if (!result) return result.error();
  place = std::move(*result);
  return Unit{};
}

}  // namespace ringfence
