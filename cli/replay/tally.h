// CallTally counts decisions, grouped by the rule that decided. A plain value: adding the
// tallies of consecutive parts in order gives the tally of the whole.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cli/replay/replayed_call.h"

namespace ringfence {

struct LinePlace {
  std::string file;
  uint64_t line = 0;  // from 1
};

// One call, as an example of its group.
struct Example {
  LinePlace place;
  std::string tool;
  std::string what;
};

struct Group {
  uint64_t calls = 0;
  AuditEntry::Rule rule;
  std::string why;                        // of the first call
  std::map<std::string, uint64_t> tools;  // by name; "" for all names beyond the limit
  std::vector<Example> examples;          // the first calls
};

struct GroupKey {
  LoggedVerdict now = LoggedVerdict::kPermit;
  std::optional<LoggedVerdict> was;  // set for a difference
  std::string rule;  // its label; the reason if no rule decided; "" without a reason

  bool operator<(const GroupKey& other) const {
    return std::tie(now, was, rule) < std::tie(other.now, other.was, other.rule);
  }
};
using Groups = std::map<GroupKey, Group>;

struct BrokenLine {
  LinePlace place;
  std::string what;
};

struct CallTally {
  explicit CallTally(size_t example_limit = 3) : most_examples(example_limit) {}

  size_t most_examples;
  uint64_t bytes = 0;
  uint64_t lines = 0;
  uint64_t calls = 0;         // calls that were decided
  uint64_t verdicts[4] = {};  // number of calls by LoggedVerdict, up to kError
  uint64_t repeated = 0;      // calls that occurred before
  uint64_t earlier = 0;       // calls before --since
  uint64_t in_gone_projects = 0;
  uint64_t foreign = 0;
  uint64_t broken = 0;
  uint64_t too_long = 0;
  std::vector<BrokenLine> first_broken;  // includes lines that are too long
  Groups groups;
  Groups changes;  // compared with the second policy

  void AddBroken(LinePlace place, std::string what);
  void AddCall(const ReplayedCalls::Answer& answer, const std::string& tool,
               const LinePlace& place);
  // Adds the tally of a part that follows this one.
  void Add(CallTally later);

  bool has_changes() const { return !changes.empty(); }
};

// True if the client would act differently. It blocks denied and refused calls alike.
bool Differ(LoggedVerdict one, LoggedVerdict other);

}  // namespace ringfence
