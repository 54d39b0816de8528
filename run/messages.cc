#include "run/messages.h"

#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

// True if standard error is a terminal that shows "\n" as a line down in the same column: the
// command has a terminal of its own, and the user's is in raw mode.
bool IsRawTerminal() {
  termios modes{};
  if (::tcgetattr(STDERR_FILENO, &modes) != 0) return false;
  return (modes.c_oflag & OPOST) == 0 || (modes.c_oflag & ONLCR) == 0;
}

void WriteError(const std::string& text) {
  std::string lines = text;
  if (IsRawTerminal()) {
    lines = "\r";
    for (const char c : text) lines += c == '\n' ? "\r\n" : std::string(1, c);
  }
  [[maybe_unused]] const Status written = WriteAll(STDERR_FILENO, lines);
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
