#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace ringfence {

// Reads a decimal number. False if the text is anything else or the number does not fit.
template <typename T>
bool ReadNumber(std::string_view text, T& number) {
  const char* end = text.data() + text.size();
  const auto [at, code] = std::from_chars(text.data(), end, number);
  return code == std::errc() && at == end;
}

}  // namespace ringfence
