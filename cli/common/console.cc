#include "cli/common/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/syscall.h"
#include "base/text.h"
#include "run/messages.h"

namespace ringfence {
namespace {

std::string Coloured(Tone tone, std::string_view text) {
  constexpr const char* kCodes[] = {"32", "31", "1"};  // by Tone
  return "\033[" + std::string(kCodes[static_cast<size_t>(tone)]) + "m" + std::string(text) +
         "\033[0m";
}

void Put(std::FILE* file, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file);
}

constexpr std::chrono::milliseconds kBetween{100};
constexpr size_t kBar = 30;
constexpr std::string_view kUnits[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};

size_t Columns() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

void PutOnTerminal(const std::string& text) {
  [[maybe_unused]] const Status written = WriteAll(STDERR_FILENO, text);
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

void PrintDocument(const std::string& text) { Put(stdout, text); }

void PrintJson(const OrderedJson& value) { Put(stdout, PrintableLines(JsonText(value, 2)) + "\n"); }

std::string SizeText(uint64_t bytes) {
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  char text[32];
  const int decimals = unit > 0 && value < 9.95 ? 1 : 0;
  std::snprintf(text, sizeof text, "%.*f ", decimals, value);
  return text + std::string(kUnits[unit]);
}

namespace {

// "12 of 40 fixtures", "1.5 of 3.4 GB"
std::string DoneText(const ProgressState& state) {
  const auto text = [&state](uint64_t number) {
    return state.what.empty() ? SizeText(number) : std::to_string(number);
  };
  std::string done = text(state.done);
  if (state.total != 0) done += " of " + text(state.total);
  return state.what.empty() ? done : done + " " + std::string(state.what);
}

}  // namespace

std::string ProgressLine(const ProgressState& state, size_t width) {
  std::string line = state.name + " ";
  const auto rate = state.seconds > 0 ? static_cast<double>(state.done) / state.seconds : 0.0;
  const std::string speed =
      state.what.empty() ? ", " + SizeText(static_cast<uint64_t>(rate)) + "/s" : "";
  if (state.total == 0) {
    line += DoneText(state) + speed;
  } else {
    const double share =
        std::min(1.0, static_cast<double>(state.done) / static_cast<double>(state.total));
    const auto full = static_cast<size_t>(share * kBar);
    char percent[16];
    std::snprintf(percent, sizeof percent, "%3d %%  ", static_cast<int>(share * 100));
    line += "[" + std::string(full, '#') + std::string(kBar - full, '-') + "] " + percent +
            DoneText(state) + speed;
  }
  return line.substr(0, width);
}

Progress::Progress(std::string name, uint64_t total, bool wanted, std::string_view what)
    : state_{std::move(name), 0, total, 0, what},
      shown_(wanted && IsSmartTerminal(STDERR_FILENO)),
      start_(Clock::now()),
      next_(start_ + kBetween) {}

Progress::~Progress() {
  if (drawn_) PutOnTerminal("\r\033[K");
}

void Progress::Add(uint64_t done) {
  state_.done += done;
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kBetween;
  state_.seconds = std::chrono::duration<double>(now - start_).count();
  PutOnTerminal("\r\033[K" + ProgressLine(state_, Columns() - 1));
  drawn_ = true;
}

}  // namespace ringfence
