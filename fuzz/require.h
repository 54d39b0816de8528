// What a fuzzer asserts. A failure is a crash that libFuzzer keeps the input of.
#pragma once

namespace ringfence {

inline void Require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace ringfence
