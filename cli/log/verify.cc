#include "cli/log/verify.h"

#include <optional>
#include <utility>

#include "audit_log/chain.h"
#include "audit_log/line.h"
#include "base/sha256.h"
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
             "removed, or "
             "the system's log lost the anchor"});
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
  return report;
}

}  // namespace ringfence
