#pragma once
// Lines of an audit log, chained as the hook chains them, for the tests of log readers.

#include <string>
#include <string_view>
#include <vector>

#include "audit_log/line.h"

namespace ringfence {

using Lines = std::vector<std::string>;

inline std::string TextOf(int number) {
  return R"({"time":"2026-10-14T17:46:40.)" + std::to_string(100 + number % 900) + R"(Z","n":")" +
         std::to_string(number) + "\"";
}

// A line after everything in `lines`, as the hook writes it.
inline std::string Behind(const Lines& lines, int number, AuditLock lock = AuditLock::kHeld) {
  std::string tail;
  for (const std::string& line : lines) tail += (&line == &lines.front() ? "" : "\n") + line;
  const size_t start = tail.empty() ? 0 : AuditChainStart(tail, true);
  return ChainedLine(TextOf(number), std::string_view(tail).substr(start), lock);
}

inline Lines Chained(int count) {
  Lines lines;
  for (int i = 0; i < count; ++i) lines.push_back(Behind(lines, i));
  return lines;
}

}  // namespace ringfence
