// Quickly rules out most comparisons of a rule with a path. Each name in a path maps to one of 64
// bits; a path that lacks a bit of a rule cannot contain all of the rule's names.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/ascii.h"

namespace ringfence {

class NameHash {
 public:
  constexpr void Add(char c) { state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x01000193u; }
  // The highest bits depend on every character.
  constexpr uint32_t Top(int bits) const { return (state_ * 0x9E3779B1u) >> (32 - bits); }

 private:
  uint32_t state_ = 0x811C9DC5u;
};

// FNV-1a, 64 bits.
constexpr uint64_t HashText(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

// The bits of all names in `path`, which must be folded (FoldName).
constexpr uint64_t NameBitsOf(std::string_view path) {
  uint64_t bits = 0;
  NameHash hash;
  for (const char c : path) {
    if (c == '/') {
      bits |= uint64_t{1} << hash.Top(6);
      hash = NameHash();
    } else {
      hash.Add(c);
    }
  }
  return bits | uint64_t{1} << hash.Top(6);
}

// The bits that a path must have to match `pattern` in any letter case. Names with wildcards or
// non-ASCII letters need none.
constexpr uint64_t NameBitsNeededBy(std::string_view pattern) {
  uint64_t bits = 0;
  while (!pattern.empty()) {
    const std::string_view name = pattern.substr(0, pattern.find('/'));
    pattern.remove_prefix(name.size() < pattern.size() ? name.size() + 1 : name.size());
    NameHash hash;
    bool is_fixed = !name.empty();
    for (const char c : name) {
      is_fixed = is_fixed && c != '*' && c != '?' && c != '[' && c != '\\' && IsAscii(c);
      hash.Add(ToLower(c));
    }
    if (is_fixed) bits |= uint64_t{1} << hash.Top(6);
  }
  return bits;
}

// A set of names that may report a name it does not contain, but never misses one that it contains.
class NameFilter {
 public:
  static constexpr uint16_t IndexOf(std::string_view name) {
    NameHash hash;
    for (const char c : name) hash.Add(c);
    return static_cast<uint16_t>(hash.Top(kIndexBits));
  }

  void Add(std::string_view name) {
    const uint16_t index = IndexOf(name);
    words_[index / 64] |= uint64_t{1} << (index % 64);
  }
  void AddAll() { words_.fill(~uint64_t{0}); }
  bool MayHave(uint16_t index) const { return (words_[index / 64] >> (index % 64) & 1) != 0; }

 private:
  static constexpr int kIndexBits = 9;  // a home directory has a few hundred names

  std::array<uint64_t, (1u << kIndexBits) / 64> words_{};
};

constexpr bool HasNameBits(uint64_t path, uint64_t needed) { return (needed & ~path) == 0; }

}  // namespace ringfence
