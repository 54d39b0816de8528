#include "cli/log/verify.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "audit_log/chain.h"
#include "audit_log/line.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"
#include "cli/log/log_line.h"

namespace ringfence {
namespace {

constexpr size_t kShownBreaks = 100;

class LogChecker {
 public:
  explicit LogChecker(Anchors* anchors) : anchors_(anchors) {}

  void Add(const LogLine& line) {
    ++report_.lines;
    const std::string digest = line.is_apart ? AddApart(line) : AddChained(line);
    const Anchor* anchor = anchors_ == nullptr ? nullptr : anchors_->Meet(digest);
    if (anchor == nullptr) return;
    report_.covered = report_.lines;
    report_.covered_until = report_.to;
    if (!first_ && !line.is_apart) first_ = FirstAnchored{anchor->end, bytes_, line.file};
  }

  LogReport Finish() {
    report_.begins_at_start = follower_.begins_at_start();
    if (!first_file_.empty() && report_.from.empty()) {
      Break({first_file_, first_line_, "neither this line nor a later one is an entry of a log"});
    }
    if (anchors_ == nullptr) return std::move(report_);
    report_.has_anchors = true;
    report_.anchors = anchors_->size();
    report_.met = anchors_->met();
    report_.other_logs.assign(anchors_->other_logs().begin(), anchors_->other_logs().end());
    Anchors::Unmet unmet = anchors_->SortUnmet();
    if (report_.begins_at_start) {  // no line came before
      unmet.missing.insert(unmet.missing.begin(), unmet.before.begin(), unmet.before.end());
      unmet.before.clear();
    }
    report_.anchors_before = unmet.before.size();
    if (!unmet.before.empty()) report_.before_until = unmet.before.back().time;
    report_.missing = std::move(unmet.missing);
    CheckBeginning();
    return std::move(report_);
  }

 private:
  // The first line of the chain that has an anchor.
  struct FirstAnchored {
    uint64_t end = 0;    // bytes in its file up to the line's end, at least
    uint64_t bytes = 0;  // bytes in the log up to there, as read
    std::string file;
  };

  std::string AddChained(const LogLine& line) {
    const ChainStep step = follower_.Follow(line.text, line.is_cut);
    const bool is_torn = step.kind == ChainLineKind::kTorn;
    report_.torn += is_torn ? 1 : 0;
    report_.torn_at_end = is_torn ? report_.torn_at_end + 1 : 0;
    report_.unlocked += step.kind == ChainLineKind::kUnlocked ? 1 : 0;
    if (!step.fault.empty()) Break({line.file, line.number, step.fault});
    const std::optional<AuditEntry> entry = ReadLogLine(line.text);
    if (entry && report_.from.empty()) report_.from = entry->time;
    if (entry) report_.to = entry->time;
    // The chain does not record empty lines at the very beginning, so they must not fill a gap.
    if (bytes_ > 0 || !line.text.empty()) bytes_ += line.size;
    if (first_file_.empty() && bytes_ > 0) {
      first_file_ = line.file;
      first_line_ = line.number;
    }
    return step.digest;
  }

  std::string AddApart(const LogLine& line) {
    report_.torn += ChainOf(line.text).empty() ? 1 : 0;
    if (line.number == 1) {
      Break({line.file, 1,
             "its file does not belong to the chain of the others: a copy, one that was added, or "
             "one that lines were written around"});
    }
    return Sha256Hex(line.text);
  }

  // The beginning may be missing with old files, but only with whole ones. The first line of each
  // file has an anchor, and an anchor records the length of its file.
  void CheckBeginning() {
    if (report_.begins_at_start || !first_) return;
    if (first_->bytes < first_->end) {
      Break({first_file_, first_line_,
             "was not the beginning of its file: " + std::to_string(first_->end - first_->bytes) +
                 " bytes in front of it were removed"});
    } else if (first_->bytes > first_->end && report_.anchors_before > 0 && IsFirstUnanchored()) {
      Break({first_file_, first_line_,
             "has no anchor, although it is the first line of its file: lines before it were "
             "removed, or the system's log lost the anchor"});
    }
  }

  // If lines were written without the lock, an anchor can record an end that is too small.
  bool IsFirstUnanchored() const { return first_->file != first_file_ || report_.unlocked == 0; }

  void Break(LogBreak fault) {
    if (++report_.all_breaks <= kShownBreaks) report_.breaks.push_back(std::move(fault));
  }

  Anchors* anchors_;
  ChainFollower follower_;
  LogReport report_;
  uint64_t bytes_ = 0;
  std::string first_file_;
  uint64_t first_line_ = 0;
  std::optional<FirstAnchored> first_;
};

constexpr size_t kShown = 100;

std::string CountText(uint64_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

// A log that was moved looks as if it had no anchors.
std::string OtherLogsText(const LogReport& report) {
  if (report.anchors > 0 || report.other_logs.empty()) return "";
  std::string names;
  for (const std::string& name : report.other_logs)
    names += (names.empty() ? "" : ", ") + Quote(name);
  return "\nthe anchors belong to other logs: " + names +
         "; if this log was written under one of these names: --anchored-as FILE";
}

std::string TornText(const LogReport& report) {
  std::string text = CountText(report.torn, "line") + (report.torn == 1 ? " is" : " are") +
                     " torn or not written by ringfence, ";
  if (report.torn_at_end == report.torn) return text + "and not covered by a later line\n";
  text += "but covered by the next line";
  if (report.torn_at_end == 0) return text + "\n";
  return text + ", except " + std::to_string(report.torn_at_end) + " at the end\n";
}

std::string BeginningText(const LogReport& report) {
  std::string text = "it begins in the middle: what came before " + report.from +
                     " is missing (older files were removed, or lines cut out)\n";
  if (report.anchors_before > 0) {
    text += CountText(report.anchors_before, "anchor") + " of lines before that, the last of " +
            report.before_until + "\n";
  }
  return text;
}

std::string CoverText(const LogReport& report) {
  if (!report.has_anchors) {
    return "no anchors were checked: lines cut from the end, or a log that was rewritten as a "
           "whole, would go unnoticed (--anchors journal)";
  }
  if (report.covered == 0) {
    return "no anchor covers a line: only the chain protects them" + OtherLogsText(report);
  }
  const uint64_t rest = report.lines - report.covered;
  return "lines 1 to " + std::to_string(report.covered) + ", up to " + report.covered_until +
         ", are covered by anchors" +
         (rest == 0 ? "" : ", the " + std::to_string(rest) + " after them only by the chain");
}

std::string MissingText(const Anchor& anchor) {
  return "the line of " + anchor.time + " that ended at byte " + std::to_string(anchor.end) +
         " has an anchor but is missing: the log was changed or cut since then, or someone forged "
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
  if (!report.missing.empty() && report.met == 0) {
    return bad("none of the " + CountText(report.anchors, "anchor") +
               " has its line: the log was rewritten, or every line that has one was removed, or "
               "someone forged the anchors");
  }
  for (size_t i = 0; i < std::min(report.missing.size(), kShown); ++i) {
    bad(MissingText(report.missing[i]));
  }
  if (report.missing.size() > kShown) {
    bad("and " + std::to_string(report.missing.size() - kShown) + " more anchors");
  }
}

}  // namespace

Result<LogReport> CheckLog(LogReader& reader, Anchors* anchors) {
  LogChecker checker(anchors);
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
  if (report.lines == 0 && report.torn == 0) {
    ++report.all_breaks;
    report.breaks.push_back({report.file, 1, "is missing: a log has at least one line"});
  }
  return report;
}

std::string ReportText(const LogReport& report, const Console& console) {
  std::string out = Printable(report.file) + ": " + CountText(report.lines, "line") + " in " +
                    CountText(report.files, "file");
  if (!report.from.empty()) out += ", from " + report.from + " to " + report.to;
  out += "\n";
  if (!report.begins_at_start) out += BeginningText(report);
  if (report.torn > 0) out += TornText(report);
  if (report.unlocked > 0) {
    out +=
        CountText(report.unlocked, "line") + " written while another process held the log's lock\n";
  }
  AddFaults(report, console, out);
  out += CoverText(report) + "\n";
  return out + (report.is_sound() ? console.In(Tone::kGood, "sound")
                                  : console.In(Tone::kBad, "not sound"));
}

OrderedJson ReportJson(const LogReport& report) {
  OrderedJson json{{"sound", report.is_sound()},
                   {"file", report.file},
                   {"files", report.files},
                   {"lines", report.lines},
                   {"torn", report.torn},
                   {"unlocked", report.unlocked},
                   {"from", report.from},
                   {"to", report.to},
                   {"begins_at_start", report.begins_at_start}};
  json["breaks"] = JsonArray(report.breaks, [](const LogBreak& fault) -> OrderedJson {
    return {{"file", fault.file}, {"line", fault.line}, {"what", fault.what}};
  });
  json["all_breaks"] = report.all_breaks;
  if (!report.has_anchors) return json;
  OrderedJson& anchors = json["anchors"];
  anchors["read"] = report.anchors;
  anchors["met"] = report.met;
  anchors["before"] = report.anchors_before;
  anchors["missing"] = JsonArray(report.missing, [](const Anchor& anchor) -> OrderedJson {
    return {{"time", anchor.time}, {"end", anchor.end}};
  });
  anchors["covered"] = report.covered;
  anchors["covered_until"] = report.covered_until;
  anchors["other_logs"] = report.other_logs;
  return json;
}

}  // namespace ringfence
