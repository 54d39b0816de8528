// Prints lines on standard output, in colour only on a terminal and never with NO_COLOR.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace ringfence {

enum class Tone { kGood, kBad, kStrong };

class Console {
 public:
  Console();
  std::string In(Tone tone, std::string_view text) const;
  void Line(std::string_view text) const;

 private:
  bool colour_ = false;
};

// "20,000", and "1 fixture" or "20,000 fixtures".
std::string Grouped(size_t number);
std::string Counted(size_t number, std::string_view word);

// Pads `text` with spaces to at least `width` bytes.
std::string Padded(std::string text, size_t width);

void PrintJson(const OrderedJson& value);

}  // namespace ringfence
