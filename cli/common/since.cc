#include "cli/common/since.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <utility>

#include "audit_log/line.h"
#include "base/ascii.h"
#include "base/text.h"

namespace ringfence {
namespace {

// Returns the unit in nanoseconds; 0 if it is unknown.
int64_t UnitOf(char name) {
  constexpr std::pair<char, int64_t> kSeconds[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
  for (const auto& [unit, seconds] : kSeconds) {
    if (name == unit) return seconds * 1'000'000'000;
  }
  return 0;
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

std::optional<int> TakeNumber(std::string_view& text, size_t digits) {
  int number = 0;
  const char* end = text.data() + std::min(digits, text.size());
  const auto read = std::from_chars(text.data(), end, number);
  if (text.size() < digits || read.ptr != end || text.front() == '-') return {};
  text.remove_prefix(digits);
  return number;
}

bool Take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<int64_t> DateOf(std::string_view& text) {
  const auto year = TakeNumber(text, 4);
  if (!year || !Take(text, '-')) return {};
  const auto month = TakeNumber(text, 2);
  if (!month || !Take(text, '-')) return {};
  const auto day = TakeNumber(text, 2);
  if (!day) return {};
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return {};
  return std::chrono::sys_days(date).time_since_epoch().count() * int64_t{86400};
}

// "14:05", "14:05:59.123"
std::optional<int64_t> ClockOf(std::string_view& text) {
  const auto hour = TakeNumber(text, 2);
  if (!hour || *hour > 23 || !Take(text, ':')) return {};
  const auto minute = TakeNumber(text, 2);
  if (!minute || *minute > 59) return {};
  int64_t time = *hour * 3600 + *minute * 60;
  if (!Take(text, ':')) return time;
  const auto second = TakeNumber(text, 2);
  if (!second || *second > 60) return {};
  if (Take(text, '.')) {
    text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  }
  return time + *second;
}

// "Z", "+02:00", "-0330"
std::optional<int64_t> OffsetOf(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  const bool is_west = text.starts_with('-');
  if (!Take(text, '+') && !Take(text, '-')) return {};
  const auto hours = TakeNumber(text, 2);
  Take(text, ':');
  const auto minutes = TakeNumber(text, 2);
  if (!hours || !minutes || !text.empty()) return {};
  const int64_t offset = *hours * 3600 + *minutes * 60;
  return is_west ? -offset : offset;
}

}  // namespace

std::optional<int64_t> UnixTime(std::string_view text) {
  const auto date = DateOf(text);
  if (!date || (!Take(text, 'T') && !Take(text, ' '))) return {};
  const auto clock = ClockOf(text);
  if (!clock) return {};
  const auto offset = OffsetOf(text);
  if (!offset) return {};
  return *date + *clock - *offset;
}

bool IsLogTime(std::string_view text) {
  return HasForm(text, "0000-00-00T00:00:00.000Z") && UnixTime(text);
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

}  // namespace ringfence
