// Random damage to a text, for tests that compare two readers of it.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace ringfence {

// RINGFENCE_SEED, or the one that is always used.
uint32_t TestSeed();

// One to four changes: bytes removed, changed, doubled, or words of `words` put in.
std::string Mutate(std::string text, std::span<const std::string_view> words, std::mt19937& random);

}  // namespace ringfence
