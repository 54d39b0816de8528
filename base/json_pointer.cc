#include "base/json_pointer.h"

#include <algorithm>

#include "base/path.h"

namespace ringfence {

void AppendPointerKey(std::string& pointer, std::string_view key) {
  for (const char c : key) {
    if (c == '~' || c == '/') pointer += '~';
    pointer += c == '~' ? '0' : c == '/' ? '1' : c;
  }
}

std::string DecodePointerKey(std::string_view key) {
  std::string out;
  for (size_t i = 0; i < key.size(); ++i) {
    const bool escaped = key[i] == '~' && i + 1 < key.size();
    out += !escaped ? key[i] : key[++i] == '1' ? '/' : '~';
  }
  return out;
}

bool PointerCovers(std::string_view pattern, std::string_view pointer) {
  while (!pattern.empty()) {
    const std::string_view want = TakeComponent(pattern);
    const std::string_view have = TakeComponent(pointer);
    if (want.empty()) return true;
    if (have.empty() || (want != "*" && want != have)) return false;
  }
  return true;
}

std::string DottedKey(std::string_view pointer) {
  std::string key(pointer.substr(1));
  std::ranges::replace(key, '/', '.');
  return key;
}

bool PointerCovers(std::span<const std::string_view> patterns, std::string_view pointer) {
  return std::ranges::any_of(
      patterns, [&](std::string_view pattern) { return PointerCovers(pattern, pointer); });
}

}  // namespace ringfence
