#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/audit/report.h"

namespace ringfence {
namespace {

constexpr size_t kMaxFixture = 60;

class TextReport {
 public:
  TextReport(const AuditReport& report, const Console& console)
      : report_(report), console_(console) {}

  std::string Run() {
    if (HasSeveral()) WriteMatrix();
    WriteMismatches();
    WriteChanges();
    WriteUnmet();
    WriteSummary();
    return std::move(out_);
  }

 private:
  void Line(const std::string& text) { out_ += text + "\n"; }

  // True if a row has several cells, so that a matrix is worth printing.
  bool HasSeveral() const {
    return std::ranges::any_of(report_.matrix.rows,
                               [](const Row& row) { return row.cells.size() > 1; });
  }

  Tone ToneOf(const Cell& cell) const {
    if (!cell.mismatch.empty() || cell.result.decision == LoggedVerdict::kError) return Tone::kBad;
    return cell.result.decision == LoggedVerdict::kPermit ? Tone::kGood : Tone::kStrong;
  }

  void WriteMatrix() {
    const Matrix& matrix = report_.matrix;
    for (size_t i = 0; i < matrix.columns.size(); ++i) {
      Line("[" + std::to_string(i + 1) + "] " + Printable(matrix.columns[i].label()));
    }
    size_t width = 0;
    for (const Row& row : matrix.rows) width = std::max(width, Name(row).size());
    for (const Row& row : matrix.rows) {
      std::string line = Padded(Name(row), width);
      size_t column = 0;
      for (const Cell& cell : row.cells) {
        for (; column < cell.column; ++column) line += Padded("", kCell);
        const std::string word =
            std::string(VerdictName(cell.result.decision)) + (cell.mismatch.empty() ? "" : "!");
        line += "  " + console_.In(ToneOf(cell), word) + Padded("", kCell - 2 - word.size());
        column = cell.column + 1;
      }
      Line(line.substr(0, line.find_last_not_of(' ') + 1));
    }
    Line("");
  }

  static std::string Name(const Row& row) {
    return CutText(Printable(row.fixture.name), kMaxFixture);
  }

  void WriteMismatches() {
    for (const Row& row : report_.matrix.rows) {
      for (const Cell& cell : row.cells) {
        if (!cell.mismatch.empty()) WriteMismatch(row.fixture, cell);
      }
    }
  }

  void WriteMismatch(const Fixture& fixture, const Cell& cell) {
    Line(console_.In(Tone::kBad, "FAIL") + " " + Printable(fixture.place.file) + ":" +
         std::to_string(fixture.place.line) + ": " + Printable(fixture.name) + ": " +
         cell.mismatch);
    Line("     under: " + Printable(report_.matrix.columns[cell.column].label()));
    if (!cell.result.rule.empty()) Line("     rule: " + cell.result.rule);
    if (!cell.result.reason.empty()) Line("     reason: " + Printable(cell.result.reason));
    if (!fixture.why.empty()) Line("     the fixture says: " + Printable(fixture.why));
  }

  void WriteChanges() {
    for (const BaselineChange& change : report_.changes) {
      const std::string subject =
          Printable(change.fixture) + " (" + Printable(change.under) + "): ";
      if (change.before.empty()) {
        Line(console_.In(Tone::kBad, "NEW") + " " + subject + Printable(change.now));
      } else if (change.now.empty()) {
        Line(console_.In(Tone::kBad, "GONE") + " " + subject + "was " + Printable(change.before));
      } else {
        Line(console_.In(Tone::kBad, "CHANGED") + " " + subject + "was " +
             Printable(change.before) + ", is " + Printable(change.now));
      }
    }
  }

  void WriteUnmet() {
    if (!report_.unmet) return;
    for (const RuleEntry& rule : *report_.unmet) Line("never met: " + rule.label());
  }

  void WriteSummary() {
    std::string line = Counted(report_.matrix.rows.size(), "fixture") + ", " +
                       Counted(report_.decisions(), "decision") + ": ";
    const size_t wrong = report_.mismatches();
    line += wrong == 0 ? console_.In(Tone::kGood, "all as expected")
                       : console_.In(Tone::kBad, std::to_string(wrong) + " not as expected");
    if (!report_.baseline.empty()) {
      line += report_.changes.empty()
                  ? ", as in " + Printable(report_.baseline)
                  : ", " + Counted(report_.changes.size(), "difference") + " from " +
                        Printable(report_.baseline) + " (--update accepts them)";
    }
    if (!report_.skipped.empty()) {
      line += ", " + std::to_string(report_.skipped.size()) + " skipped (--json lists them)";
    }
    if (report_.unmet) line += ", " + Counted(report_.unmet->size(), "rule") + " never met";
    Line(line);
  }

  static constexpr size_t kCell = 9;

  const AuditReport& report_;
  const Console& console_;
  std::string out_;
};

}  // namespace

size_t AuditReport::decisions() const {
  size_t count = 0;
  for (const Row& row : matrix.rows) count += row.cells.size();
  return count;
}

size_t AuditReport::mismatches() const {
  size_t count = 0;
  for (const Row& row : matrix.rows) {
    count += static_cast<size_t>(
        std::ranges::count_if(row.cells, [](const Cell& cell) { return !cell.mismatch.empty(); }));
  }
  return count;
}

std::vector<RuleEntry> UnmetRules(const Matrix& matrix) {
  std::set<RuleEntry> unmet(matrix.rules.begin(), matrix.rules.end());
  for (const Row& row : matrix.rows) {
    for (const Cell& cell : row.cells) {
      for (const RuleEntry& rule : cell.result.met) unmet.erase(rule);
    }
  }
  return {unmet.begin(), unmet.end()};
}

std::string AuditText(const AuditReport& report, const Console& console) {
  return TextReport(report, console).Run();
}

}  // namespace ringfence
