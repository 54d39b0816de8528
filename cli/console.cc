#include "cli/console.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/text.h"

namespace ringfence {
namespace {

bool MayColour(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !dumb && ::isatty(fd) == 1;
}

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

void PrintJson(const OrderedJson& value) {
  Put(stdout, value.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n");
}

void PrintError(const Error& error) {
  const bool colour = MayColour(STDERR_FILENO);
  const auto in = [colour](Tone tone, std::string_view text) {
    return colour ? Coloured(tone, text) : std::string(text);
  };
  Put(stderr, "ringfence: " + in(Tone::kBad, Printable(error.text())) + "\n");
  if (!error.hint.empty()) Put(stderr, "Hint: " + Printable(error.hint) + "\n");
}

}  // namespace ringfence
