// Whether an audit log is as it was written: by its digests, and by anchors.
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
  uint64_t torn_at_end = 0;      // of them, with no whole line behind
  std::string from, to;          // times of the first and the last line; "" where there is none
  bool begins_at_start = true;   // false: there was something before
  std::vector<LogBreak> breaks;  // the first hundred
  uint64_t all_breaks = 0;

  bool has_anchors = false;  // somebody asked for them
  size_t anchors = 0;
  size_t met = 0;                       // of them, by a line
  std::vector<std::string> other_logs;  // of which there are anchors; the first few
  uint64_t covered = 0;                 // lines up to the last one that an anchor has
  std::string covered_until;            // its time
  size_t anchors_before = 0;            // of lines that are gone with older files
  std::string before_until;             // the time of the last of them
  std::vector<Anchor> missing;          // of lines that should be there

  bool is_sound() const { return all_breaks == 0 && missing.empty(); }
};

// Reads the whole log. `anchors` may be null.
Result<LogReport> CheckLog(LogReader& reader, Anchors* anchors);

std::string ReportText(const LogReport& report, const Console& console);
OrderedJson ReportJson(const LogReport& report);

}  // namespace ringfence
