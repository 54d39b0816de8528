// Counts decisions of each kind by policy, tool and rule, and over time. Each of these counts every
// decision once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/audit/matrix.h"

namespace ringfence {

inline constexpr size_t kDecisionKinds = 4;        // kPermit to kError
using Tally = std::array<size_t, kDecisionKinds>;  // by LoggedVerdict
size_t TotalOf(const Tally& tally);

// Equal time spans that begin at round times: whole hours, days, weeks from Monday (UTC).
struct TimeAxis {
  int64_t start = 0;  // seconds of Unix time
  int64_t step = 1;
  size_t spans = 0;  // 0: no decision has a time

  bool operator==(const TimeAxis&) const = default;
};

inline constexpr size_t kMaxSpans = 62;

TimeAxis AxisFor(int64_t oldest, int64_t newest);
std::string StepName(int64_t step);  // "day", "6 hours"

std::string DateText(int64_t time);      // "2025-11-23"
std::string DateTimeText(int64_t time);  // "2025-11-23 14:05"

struct Series {
  std::string label;
  Tally tally{};
  std::vector<Tally> spans;  // by span of the axis; without decisions that have no time
};

struct Statistics {
  TimeAxis axis;
  int64_t oldest = 0;
  int64_t newest = 0;
  size_t timeless = 0;  // decisions whose time is unknown
  Series all;
  std::vector<Series> columns;  // as in the matrix
  std::vector<Series> tools;    // most decisions first
  std::vector<Series> rules;
};

Statistics StatisticsOf(const Matrix& matrix);

// The rule that decided, with its entry; for a permit, the rule that covers it; "" if there is
// none.
std::string DecidingRule(const CellResult& result);

// Groups decisions whose reasons differ only in a path or name: thousands of refused calls in a log
// come down to a handful of reasons.

// Marks in a pattern, in place of the texts of a Subject.
inline constexpr char kWrittenMark = '\x01';   // quotes included
inline constexpr char kResolvedMark = '\x02';  // without quotes

struct Subject {
  std::string written;   // as the agent wrote it, with quotes: "\"../x\""; "" if not quoted
  std::string resolved;  // the resolved path, or ""

  bool operator==(const Subject&) const = default;
};

// Returns the reason that the model gets, with marks in place of the texts that go to `subject`.
// Together they are the whole reason.
std::string PatternOf(const CellResult& result, Subject& subject);

// Calls with the same tool and subject.
struct ExplainedCalls {
  Subject subject;
  std::string tool;
  std::vector<const Fixture*> fixtures;  // the first kMaxNamedFixtures, each once
  std::vector<size_t> columns;
  size_t decisions = 0;
};

struct Explanation {
  std::string rule;  // DecidingRule()
  LoggedVerdict decision = LoggedVerdict::kError;
  std::string mismatch;  // of the cells if ExplanationChoice::by_mismatch, else ""
  std::string pattern;
  std::vector<ExplainedCalls> calls;
  size_t decisions = 0;
};

inline constexpr size_t kMaxNamedFixtures = 5;

struct ExplanationChoice {
  std::function<bool(const Cell&)> wants;
  bool by_mismatch = false;  // also group by the mismatch
};

// Sorted by number of decisions, largest first.
std::vector<Explanation> ExplanationsOf(const Matrix& matrix, const ExplanationChoice& choice);

}  // namespace ringfence
