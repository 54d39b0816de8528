// Random damage to a text, for tests that compare two parsers.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace ringfence {

// RINGFENCE_SEED, or the default seed.
uint32_t TestSeed();

// Makes one to four changes: removes, changes or duplicates bytes, or inserts words of `words`.
std::string Mutate(std::string text, std::span<const std::string_view> words, std::mt19937& random);

}  // namespace ringfence
