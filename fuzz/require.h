// The assertion of the fuzzers. A failure crashes, so that libFuzzer saves the input.
#pragma once

namespace ringfence {

inline void Require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace ringfence
