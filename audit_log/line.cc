#include "audit_log/line.h"

#include <time.h>

#include "base/sha256.h"
#include "base/text.h"

namespace ringfence {

namespace {

constexpr std::string_view kChain = ",\"chain\":\"";
constexpr std::string_view kLineEnd = "\"}";
constexpr std::string_view kUnlocked = ",\"unlocked\":true";

struct UtcTime {
  tm parts{};
  long nanoseconds = 0;
};

UtcTime UtcOf(int64_t unix_nanoseconds) {
  UtcTime utc;
  const time_t seconds = unix_nanoseconds / 1000000000;
  utc.nanoseconds = static_cast<long>(unix_nanoseconds % 1000000000);
  ::gmtime_r(&seconds, &utc.parts);
  return utc;
}

std::string DateAndTime(const UtcTime& utc, const char* dash, const char* colon) {
  const tm& t = utc.parts;
  return Digits(t.tm_year + 1900, 4) + dash + Digits(t.tm_mon + 1, 2) + dash +
         Digits(t.tm_mday, 2) + "T" + Digits(t.tm_hour, 2) + colon + Digits(t.tm_min, 2) + colon +
         Digits(t.tm_sec, 2);
}

}  // namespace

std::string Digits(long value, size_t width, char fill) {
  std::string text = std::to_string(value);
  return text.size() < width ? std::string(width - text.size(), fill) + text : text;
}

std::string AuditTime(int64_t unix_nanoseconds) {
  const UtcTime utc = UtcOf(unix_nanoseconds);
  return DateAndTime(utc, "-", ":") + "." + Digits(utc.nanoseconds / 1000000, 3) + "Z";
}

std::string AuditFileTime(int64_t unix_nanoseconds) {
  const UtcTime utc = UtcOf(unix_nanoseconds);
  return DateAndTime(utc, "", "") + "." + Digits(utc.nanoseconds, 9) + "Z";
}

std::string ChainedLine(const std::string& text, std::string_view before, AuditLock lock) {
  std::string line = text;
  if (lock == AuditLock::kNotGot) line += kUnlocked;
  line += kChain;
  line += before.empty() ? std::string(kNoChain) : Sha256Hex(before);
  return line.append(kLineEnd);
}

std::string_view ChainOf(std::string_view line) {
  constexpr size_t kLength = kChain.size() + kChainDigits + kLineEnd.size();
  if (line.size() <= kLength || line.front() != '{' || !line.ends_with(kLineEnd)) return {};
  const std::string_view last = line.substr(line.size() - kLength);
  const std::string_view digits = last.substr(kChain.size(), kChainDigits);
  // No string in the line can contain this, because its quotes would be escaped.
  return last.starts_with(kChain) && IsLowerHex(digits, kChainDigits) ? digits : std::string_view();
}

bool IsUnlocked(std::string_view line) {
  constexpr size_t kLength = kChain.size() + kChainDigits + kLineEnd.size();
  return !ChainOf(line).empty() && line.substr(0, line.size() - kLength).ends_with(kUnlocked);
}

size_t AuditChainStart(std::string_view tail, bool is_whole_file) {
  for (size_t end = tail.size();;) {
    const size_t newline = tail.substr(0, end).rfind('\n');
    const bool is_first = newline == std::string_view::npos;
    const size_t start = is_first ? 0 : newline + 1;
    if (is_first && !is_whole_file) return std::string_view::npos;
    if (is_first || !ChainOf(tail.substr(start, end - start)).empty()) return start;
    end = newline;
  }
}

}  // namespace ringfence
