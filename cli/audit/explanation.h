// Groups decisions whose reasons differ only in a path or name: thousands of refused calls in a log
// come down to a handful of reasons.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/audit/matrix.h"

namespace ringfence {

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
  std::string rule;      // DecidingRule()
  std::string decision;  // "deny"
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
