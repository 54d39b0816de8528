#include "cli/common/since.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "audit_log/line.h"
#include "base/text.h"

namespace ringfence {
namespace {

// True if `text` has this form, in which "0" means any digit.
bool HasForm(std::string_view text, std::string_view form) {
  return std::ranges::equal(text, form, [](char c, char wanted) {
    return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
  });
}

// Returns the unit in nanoseconds; 0 if it is unknown.
int64_t UnitOf(char name) {
  constexpr int64_t kSecond = 1'000'000'000;
  switch (name) {
    case 's':
      return kSecond;
    case 'm':
      return 60 * kSecond;
    case 'h':
      return 3600 * kSecond;
    case 'd':
      return 86400 * kSecond;
    default:
      return 0;
  }
}

// Parses a span such as "15m" into nanoseconds.
std::optional<int64_t> ReadSpan(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || end + 1 != text.data() + text.size()) return {};
  const int64_t unit = UnitOf(*end);
  if (unit == 0 || number > std::numeric_limits<int64_t>::max() / unit) return {};
  return number * unit;
}

int DaysOf(int month, int year) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && is_leap ? 29 : kDays[month - 1];
}

// True if the fields are in range; HasForm() has checked the digits. A minute may have a leap
// second.
bool IsDate(std::string_view text) {
  const auto number = [text](size_t at) { return 10 * (text[at] - '0') + text[at + 1] - '0'; };
  const int year = 100 * number(0) + number(2), month = number(5), day = number(8);
  return month >= 1 && month <= 12 && day >= 1 && day <= DaysOf(month, year) && number(11) < 24 &&
         number(14) < 60 && number(17) <= 60;
}

}  // namespace

bool IsLogTime(std::string_view text) {
  return HasForm(text, "0000-00-00T00:00:00.000Z") && IsDate(text);
}

Result<std::string> ReadSince(const std::string& text, int64_t unix_nanoseconds) {
  if (const std::optional<int64_t> span = ReadSpan(text)) {
    return AuditTime(std::max<int64_t>(0, unix_nanoseconds - *span));
  }
  constexpr std::string_view kForms[] = {"0000-00-00", "0000-00-00T00:00", "0000-00-00T00:00:00",
                                         "0000-00-00T00:00:00.000"};
  constexpr std::string_view kZero = "0000-00-00T00:00:00.000Z";
  std::string as_kept = text;
  if (text.size() > 11 && text[10] == ' ') as_kept[10] = 'T';  // the form in which times are shown
  std::string_view given = as_kept;
  if (given.size() > 11 && given.ends_with('Z')) given.remove_suffix(1);
  for (const std::string_view form : kForms) {
    if (!HasForm(given, form)) continue;
    std::string time = std::string(given) + std::string(kZero.substr(given.size()));
    if (IsLogTime(time)) return time;
  }
  return UsageError("--since", Quote(text) + " is not a time",
                    "write 10m, 2h, 3d, 2026-10-14 or 2026-10-14T16:26:40Z (UTC)");
}

Result<std::string> ReadSince(const std::string& text) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return ReadSince(text, static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec);
}

}  // namespace ringfence
