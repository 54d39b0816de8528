// Checks by digests and anchors that an audit log is unchanged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/common/console.h"
#include "cli/log/anchors.h"
#include "cli/log/log_files.h"

namespace ringfence {

struct LogBreak {
  std::string file;
  uint64_t line = 0;
  std::string what;
};

struct LogReport {
  std::string file;
  size_t files = 0;
  uint64_t lines = 0;
  uint64_t torn = 0;
  uint64_t unlocked = 0;
  uint64_t torn_at_end = 0;      // torn lines that no whole line follows
  std::string from, to;          // times of the first and the last line; "" if there is none
  bool begins_at_start = true;   // false if there were lines before
  std::vector<LogBreak> breaks;  // the first hundred
  uint64_t all_breaks = 0;

  bool has_anchors = false;  // the caller gave anchors
  size_t anchors = 0;
  size_t met = 0;                       // anchors whose line is in the log
  std::vector<std::string> other_logs;  // that have anchors; the first few
  uint64_t covered = 0;                 // number of lines up to the last with an anchor
  std::string covered_until;            // time of that line
  size_t anchors_before = 0;            // anchors of lines removed with older files
  std::string before_until;             // time of the last of them
  std::vector<Anchor> missing;          // anchors of lines that should be in the log

  bool is_sound() const { return all_breaks == 0 && missing.empty(); }
};

// Reads the whole log. `anchors` may be null.
Result<LogReport> CheckLog(LogReader& reader, Anchors* anchors);

std::string ReportText(const LogReport& report, const Console& console);
OrderedJson ReportJson(const LogReport& report);

}  // namespace ringfence
