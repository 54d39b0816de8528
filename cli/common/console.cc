#include "cli/common/console.h"

#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "base/text.h"
#include "run/messages.h"

namespace ringfence {
namespace {

std::string Coloured(Tone tone, std::string_view text) {
  switch (tone) {
    case Tone::kGood:
      return "\033[32m" + std::string(text) + "\033[0m";
    case Tone::kBad:
      return "\033[31m" + std::string(text) + "\033[0m";
    case Tone::kStrong:
      return "\033[1m" + std::string(text) + "\033[0m";
  }
  return std::string(text);
}

void Put(std::FILE* file, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file);
}

}  // namespace

Console::Console() : colour_(MayColour(STDOUT_FILENO)) {}

std::string Console::In(Tone tone, std::string_view text) const {
  return colour_ ? Coloured(tone, text) : std::string(text);
}

void Console::Line(std::string_view text) const { Put(stdout, std::string(text) + "\n"); }

std::string Grouped(size_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string Counted(size_t number, std::string_view word) {
  return Grouped(number) + " " + std::string(word) + (number == 1 ? "" : "s");
}

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

void PrintJson(const OrderedJson& value) { Put(stdout, PrintableLines(JsonText(value, 2)) + "\n"); }

}  // namespace ringfence
