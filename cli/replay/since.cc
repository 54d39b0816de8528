#include "cli/replay/since.h"

#include <charconv>
#include <ctime>
#include <string_view>

#include "base/text.h"

namespace ringfence {
namespace {

// "dddd-dd-dd" and the like: `shape` with "d" for any digit.
bool HasShape(std::string_view text, std::string_view shape) {
  if (text.size() != shape.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (shape[i] == 'd' ? !is_digit : text[i] != shape[i]) return false;
  }
  return true;
}

int64_t UnitSeconds(char unit) {
  switch (unit) {
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    default:
      return 0;
  }
}

std::string TimeText(int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[64];
  if (::gmtime_r(&time, &parts) == nullptr) return "";
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts)};
}

}  // namespace

Result<std::string> SinceText(const std::string& text, int64_t now) {
  for (const std::string_view shape :
       {"dddd-dd-dd", "dddd-dd-ddTdd:ddZ", "dddd-dd-ddTdd:dd:ddZ", "dddd-dd-ddTdd:dd:dd.dddZ"}) {
    if (!HasShape(text, shape)) continue;
    // Without the "Z" it is before every part of its minute or second.
    return text.ends_with('Z') ? text.substr(0, text.size() - 1) : text;
  }
  const int64_t unit = text.empty() ? 0 : UnitSeconds(text.back());
  int64_t count = 0;
  const char* const end = text.data() + text.size() - (text.empty() ? 0 : 1);
  const auto [rest, problem] = std::from_chars(text.data(), end, count);
  constexpr int64_t kMost = 1'000'000;
  if (unit == 0 || problem != std::errc() || rest != end || count < 0 || count > kMost) {
    return Error{
        Error::Kind::kUsage, "--since", Quote(text) + " is no time",
        "a day (2026-11-22), a time in UTC (2026-11-22T03:00Z), or how long ago (12h, 7d)"};
  }
  return TimeText(now - count * unit);
}

}  // namespace ringfence
