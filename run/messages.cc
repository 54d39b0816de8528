#include "run/messages.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

void WriteError(const std::string& text) {
  [[maybe_unused]] const Status written = WriteAll(STDERR_FILENO, text);
}

}  // namespace

bool IsSmartTerminal(int fd) {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !dumb && ::isatty(fd) == 1;
}

bool MayColour(int fd) {
  const char* no_colour = std::getenv("NO_COLOR");
  const bool is_off = no_colour != nullptr && *no_colour != '\0';
  return !is_off && IsSmartTerminal(fd);
}

void Say(std::string_view line) { WriteError("ringfence: " + std::string(line) + "\n"); }

void PrintError(const Error& error) {
  const bool colour = MayColour(STDERR_FILENO);
  const std::string text = Printable(error.text());
  std::string lines = "ringfence: " + (colour ? "\033[31m" + text + "\033[0m" : text) + "\n";
  if (!error.hint.empty()) lines += "Hint: " + Printable(error.hint) + "\n";
  WriteError(lines);
}

}  // namespace ringfence
