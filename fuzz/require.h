// The assertion of the fuzzers. A failure is a crash, for which libFuzzer keeps the input.
#pragma once

namespace ringfence {

inline void Require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace ringfence
