// How many decisions of each kind there are: by policy, tool and rule, and over time. Every
// decision is counted once in each of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/audit/matrix.h"

namespace ringfence {

inline constexpr std::array<std::string_view, 4> kDecisions{"permit", "ask", "deny", "error"};

// The place of `decision` in kDecisions; what is none of them is an error.
size_t DecisionIndex(std::string_view decision);

using Tally = std::array<size_t, kDecisions.size()>;
size_t TotalOf(const Tally& tally);

// Equal spans of time that begin at round points: whole hours, days, weeks from Monday (UTC).
struct TimeAxis {
  int64_t start = 0;  // seconds of Unix time
  int64_t step = 1;
  size_t spans = 0;  // 0: nothing has a time

  bool operator==(const TimeAxis&) const = default;
};

inline constexpr size_t kMaxSpans = 62;

TimeAxis AxisFor(int64_t oldest, int64_t newest);
std::string StepName(int64_t step);  // "day", "6 hours"

// ISO 8601 as the audit log writes it, also with an offset; nothing where it is anything else.
std::optional<int64_t> UnixTime(std::string_view text);
std::string DateText(int64_t time);      // "2025-11-23"
std::string DateTimeText(int64_t time);  // "2025-11-23 14:05"

struct Series {
  std::string label;
  Tally tally{};
  std::vector<Tally> spans;  // of the axis; those without a time are in none
};

struct Statistics {
  TimeAxis axis;
  int64_t oldest = 0;
  int64_t newest = 0;
  size_t timeless = 0;  // decisions about events whose time nobody knows
  Series all;
  std::vector<Series> columns;  // as in the matrix
  std::vector<Series> tools;    // those with most decisions first
  std::vector<Series> rules;
};

Statistics StatisticsOf(const Matrix& matrix);

// The rule that decided, with its entry; of a permission the rule that covers it; "" where none is.
std::string DecidingRule(const CellResult& result);

}  // namespace ringfence
