// Decisions that are explained by the same words, but for the path or name that they are about: a
// log of thousands of calls is refused for a handful of reasons.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/audit/matrix.h"

namespace ringfence {

// What is said, with marks where a subject's own texts stood.
inline constexpr char kWrittenMark = '\x01';   // quotes included
inline constexpr char kResolvedMark = '\x02';  // without quotes

struct Subject {
  std::string written;   // as the agent wrote it, with quotes: "\"../x\""; "" where none is named
  std::string resolved;  // where it led; ""

  bool operator==(const Subject&) const = default;
};

// What the model is told about `decision`; `subject` gets what is particular about it. Both
// together are the whole reason.
std::string PatternOf(const CellResult& result, Subject& subject);

// Calls that are the same to a reader.
struct ExplainedCalls {
  Subject subject;
  std::string tool;
  std::vector<const Fixture*> fixtures;  // the first few, each once
  std::vector<size_t> columns;
  size_t decisions = 0;
};

struct Explanation {
  std::string rule;      // DecidingRule()
  std::string decision;  // "deny"
  std::string mismatch;  // what it should be, where that is asked for
  std::string pattern;
  std::vector<ExplainedCalls> calls;
  size_t decisions = 0;
};

inline constexpr size_t kMaxNamedFixtures = 5;

struct ExplanationChoice {
  std::function<bool(const Cell&)> wants;
  bool by_mismatch = false;  // with different expectations apart
};

// Those with most decisions first.
std::vector<Explanation> ExplanationsOf(const Matrix& matrix, const ExplanationChoice& choice);

}  // namespace ringfence
