#include "cli/log/verify.h"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "cli/log/chain.h"
#include "cli/log/log_line.h"

namespace ringfence {
namespace {

constexpr size_t kShownBreaks = 100;
constexpr int64_t kSlack = 10;  // seconds that lines of hooks at work together may be out of order

int64_t SecondsOf(std::string_view time) {
  const auto number = [time](size_t at, size_t digits) {
    int value = 0;
    std::from_chars(time.data() + at, time.data() + at + digits, value);
    return value;
  };
  tm t{};
  t.tm_year = number(0, 4) - 1900;
  t.tm_mon = number(5, 2) - 1;
  t.tm_mday = number(8, 2);
  t.tm_hour = number(11, 2);
  t.tm_min = number(14, 2);
  t.tm_sec = number(17, 2);
  return ::timegm(&t);
}

class Checker {
 public:
  explicit Checker(Anchors* anchors) : anchors_(anchors) {}

  void Add(const LogLine& line) {
    ++report_.lines;
    const ChainStep step = follower_.Follow(line.text, line.is_cut);
    report_.torn += step.kind == LineKind::kTorn ? 1 : 0;
    report_.unlocked += step.kind == LineKind::kUnlocked ? 1 : 0;
    if (!step.fault.empty() && ++report_.all_breaks <= kShownBreaks) {
      report_.breaks.push_back({line.file, line.number, step.fault});
    }
    const std::optional<LogEntry> entry = ReadLogEntry(line.text);
    if (entry && report_.from.empty()) report_.from = entry->time;
    if (entry) report_.to = entry->time;
    if (anchors_ != nullptr && anchors_->Meet(step.digest)) {
      report_.covered = report_.lines;
      report_.covered_until = report_.to;
    }
  }

  LogReport Finish() {
    report_.begins_at_start = follower_.begins_at_start();
    if (anchors_ == nullptr) return std::move(report_);
    report_.has_anchors = true;
    report_.anchors = anchors_->size();
    for (Anchor& anchor : anchors_->Unmet()) {
      if (IsOlder(anchor)) {
        ++report_.anchors_before;
      } else {
        report_.missing.push_back(std::move(anchor));
      }
    }
    return std::move(report_);
  }

 private:
  // Its line was in a file that is gone, as the user may remove old ones.
  bool IsOlder(const Anchor& anchor) const {
    return !report_.begins_at_start && !report_.from.empty() &&
           SecondsOf(anchor.time) <= SecondsOf(report_.from) + kSlack;
  }

  Anchors* anchors_;
  ChainFollower follower_;
  LogReport report_;
};

std::string Count(uint64_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string CoverText(const LogReport& report) {
  if (!report.has_anchors) {
    return "no anchors were looked at: nobody can tell whether the end was cut off or all of it "
           "written anew (--anchors journal)";
  }
  if (report.covered == 0) return "no anchor covers a line: there is the chain alone";
  const uint64_t rest = report.lines - report.covered;
  return "lines 1 to " + std::to_string(report.covered) + ", up to " + report.covered_until +
         ", are covered by anchors" +
         (rest == 0 ? "" : ", the " + std::to_string(rest) + " after by the chain alone");
}

std::string MissingText(const Anchor& anchor) {
  return "the line of " + anchor.time + " that ended at byte " + std::to_string(anchor.end) +
         " has an anchor and is not there: the log was changed or cut since, or somebody forged "
         "the anchor";
}

void AddFaults(const LogReport& report, const Console& console, std::string& out) {
  const auto bad = [&](const std::string& text) {
    out += console.In(Tone::kBad, "BROKEN") + "  " + text + "\n";
  };
  for (const LogBreak& fault : report.breaks) {
    bad(Printable(fault.file) + ":" + std::to_string(fault.line) + " " + fault.what);
  }
  if (report.all_breaks > report.breaks.size()) {
    bad("and " + std::to_string(report.all_breaks - report.breaks.size()) + " more places");
  }
  for (size_t i = 0; i < std::min(report.missing.size(), kShownBreaks); ++i) {
    bad(MissingText(report.missing[i]));
  }
  if (report.missing.size() > kShownBreaks) {
    bad("and " + std::to_string(report.missing.size() - kShownBreaks) + " more anchors");
  }
}

}  // namespace

Result<LogReport> CheckLog(LogReader& reader, Anchors* anchors) {
  Checker checker(anchors);
  for (;;) {
    const Result<std::optional<LogLine>> line = reader.Next();
    if (!line) return line.error();
    if (!*line) break;
    checker.Add(**line);
  }
  if (const std::optional<LogLine> rest = reader.Rest()) checker.Add(*rest);
  LogReport report = checker.Finish();
  report.file = reader.file().text();
  report.files = reader.files();
  return report;
}

std::string ReportText(const LogReport& report, const Console& console) {
  std::string out = Printable(report.file) + ": " + Count(report.lines, "line") + " in " +
                    Count(report.files, "file");
  if (!report.from.empty()) out += ", from " + report.from + " to " + report.to;
  out += "\n";
  if (!report.begins_at_start) {
    out += "it begins in the middle: what was before " + report.from +
           " is gone with files that were removed\n";
  }
  if (report.torn > 0) {
    out += Count(report.torn, "line") +
           " torn or not of ringfence: no entries, and covered by the "
           "line behind them\n";
  }
  if (report.unlocked > 0) {
    out += Count(report.unlocked, "line") + " written while somebody held the log's lock\n";
  }
  if (report.anchors_before > 0) {
    out += Count(report.anchors_before, "anchor") + " of lines before that\n";
  }
  AddFaults(report, console, out);
  out += CoverText(report) + "\n";
  return out + (report.is_sound() ? console.In(Tone::kGood, "sound")
                                  : console.In(Tone::kBad, "not sound"));
}

OrderedJson ReportJson(const LogReport& report) {
  OrderedJson json;
  json["sound"] = report.is_sound();
  json["file"] = report.file;
  json["files"] = report.files;
  json["lines"] = report.lines;
  json["torn"] = report.torn;
  json["unlocked"] = report.unlocked;
  json["from"] = report.from;
  json["to"] = report.to;
  json["begins_at_start"] = report.begins_at_start;
  json["breaks"] = OrderedJson::array();
  for (const LogBreak& fault : report.breaks) {
    json["breaks"].push_back({{"file", fault.file}, {"line", fault.line}, {"what", fault.what}});
  }
  json["all_breaks"] = report.all_breaks;
  if (!report.has_anchors) return json;
  OrderedJson& anchors = json["anchors"];
  anchors["read"] = report.anchors;
  anchors["before"] = report.anchors_before;
  anchors["missing"] = OrderedJson::array();
  for (const Anchor& anchor : report.missing) {
    anchors["missing"].push_back({{"time", anchor.time}, {"end", anchor.end}});
  }
  anchors["covered"] = report.covered;
  anchors["covered_until"] = report.covered_until;
  return json;
}

}  // namespace ringfence
