// Machine-readable report formats.
#include <nlohmann/json.hpp>

#include "base/json_edit.h"
#include "base/text.h"
#include "cli/audit/report.h"
#include "cli/common/annotations.h"
#include "cli/common/markup.h"

namespace ringfence {
namespace {

OrderedJson RuleEntryJson(const RuleEntry& rule) {
  return {
      {"file", rule.file}, {"line", rule.line}, {"pointer", rule.pointer}, {"entry", rule.written}};
}

OrderedJson CellJson(const Cell& cell, const Column& column) {
  const CellResult& result = cell.result;
  OrderedJson json{{"under", column.label()}, {"decision", VerdictName(result.decision)}};
  if (result.says_allow) json["says"] = "allow";
  if (!result.rule.empty()) json["rule"] = result.rule;
  if (!result.reason.empty()) json["reason"] = result.reason;
  if (!result.paths.empty()) json["paths"] = result.paths;
  if (!cell.mismatch.empty()) json["mismatch"] = cell.mismatch;
  json["met"] = JsonArray(result.met, RuleEntryJson);
  return json;
}

OrderedJson RowJson(const Row& row, const Matrix& matrix) {
  const Fixture& fixture = row.fixture;
  OrderedJson json{
      {"name", fixture.name}, {"file", fixture.place.file}, {"line", fixture.place.line}};
  if (!fixture.time.empty()) json["time"] = fixture.time;
  if (!row.cells.empty()) json["tool"] = row.cells.front().result.tool;
  json["decisions"] = JsonArray(
      row.cells, [&](const Cell& cell) { return CellJson(cell, matrix.columns[cell.column]); });
  return json;
}

void AppendTestCase(const Row& row, const Cell& cell, std::string& out) {
  const Fixture& fixture = row.fixture;
  out += "    <testcase name=\"" + Markup(fixture.name) + "\" classname=\"" +
         Markup(cell.result.tool) + "\" file=\"" + Markup(fixture.place.file) + "\" line=\"" +
         std::to_string(fixture.place.line) + "\"";
  if (cell.mismatch.empty()) {
    out += "/>\n";
    return;
  }
  out += ">\n      <failure message=\"" + Markup(cell.mismatch) + "\">" +
         Markup(cell.result.reason) + "</failure>\n    </testcase>\n";
}

// Appends a test suite with the changes since the baseline.
void AppendChanges(const AuditReport& report, std::string& out) {
  if (report.baseline.empty()) return;
  const std::string count = std::to_string(report.changes.size());
  out += "  <testsuite name=\"" + Markup(report.baseline) + "\" tests=\"" + count +
         "\" failures=\"" + count + "\">\n";
  for (const BaselineChange& change : report.changes) {
    out += "    <testcase name=\"" + Markup(change.fixture) + "\" classname=\"" +
           Markup(change.under) + "\">\n      <failure message=\"was " +
           Markup(change.before.empty() ? "not there" : change.before) + ", is " +
           Markup(change.now.empty() ? "gone" : change.now) + "\"/>\n    </testcase>\n";
  }
  out += "  </testsuite>\n";
}

std::vector<Annotation> MismatchAnnotations(const Matrix& matrix) {
  std::vector<Annotation> found;
  for (const Row& row : matrix.rows) {
    const Fixture& fixture = row.fixture;
    for (const Cell& cell : row.cells) {
      if (cell.mismatch.empty()) continue;
      const std::string under = matrix.columns[cell.column].label();
      found.push_back({.rule = "decision-differs",
                       .text = fixture.name + " (" + under + "): " + cell.mismatch,
                       .file = fixture.place.file,
                       .line = fixture.place.line});
    }
  }
  return found;
}

Annotations AuditAnnotations(const AuditReport& report) {
  Annotations annotations{.command = "audit",
                          .rules = {{"decision-differs", "A fixture is not decided as it says."},
                                    {"decision-changed", "A decision is not as in the baseline."},
                                    {"rule-never-met", "No fixture ever met this rule."}},
                          .found = MismatchAnnotations(report.matrix)};
  for (const BaselineChange& change : report.changes) {
    annotations.found.push_back({.rule = "decision-changed",
                                 .text = change.fixture + " (" + change.under + "): was " +
                                         (change.before.empty() ? "not there" : change.before) +
                                         ", is " + (change.now.empty() ? "gone" : change.now),
                                 .file = report.baseline,
                                 .line = 1});
  }
  if (!report.unmet) return annotations;
  for (const RuleEntry& rule : *report.unmet) {
    annotations.found.push_back({.severity = Severity::kNote,
                                 .rule = "rule-never-met",
                                 .text = rule.label() + " is never met",
                                 .file = rule.file,
                                 .line = rule.line});
  }
  return annotations;
}

}  // namespace

OrderedJson ChangesJson(const AuditReport& report) {
  return JsonArray(report.changes, [](const BaselineChange& change) -> OrderedJson {
    return {{"fixture", change.fixture},
            {"under", change.under},
            {"before", change.before},
            {"now", change.now}};
  });
}

std::string AuditJson(const AuditReport& report) {
  OrderedJson json{{"fixtures", report.matrix.rows.size()},
                   {"decisions", report.decisions()},
                   {"mismatches", report.mismatches()}};
  json["rows"] =
      JsonArray(report.matrix.rows, [&](const Row& row) { return RowJson(row, report.matrix); });
  if (!report.baseline.empty()) json["changes"] = ChangesJson(report);
  if (report.unmet) json["never_met"] = JsonArray(*report.unmet, RuleEntryJson);
  if (!report.skipped.empty()) json["skipped"] = report.skipped;
  return JsonText(json, 2) + "\n";
}

std::string AuditJunit(const AuditReport& report) {
  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ringfence audit\">\n";
  const Matrix& matrix = report.matrix;
  for (size_t column = 0; column < matrix.columns.size(); ++column) {
    std::string cases;
    size_t count = 0;
    size_t failed = 0;
    for (const Row& row : matrix.rows) {
      for (const Cell& cell : row.cells) {
        if (cell.column != column) continue;
        ++count;
        failed += cell.mismatch.empty() ? 0 : 1;
        AppendTestCase(row, cell, cases);
      }
    }
    out += "  <testsuite name=\"" + Markup(matrix.columns[column].label()) + "\" tests=\"" +
           std::to_string(count) + "\" failures=\"" + std::to_string(failed) + "\">\n" + cases +
           "  </testsuite>\n";
  }
  AppendChanges(report, out);
  return out + "</testsuites>\n";
}

std::string AuditSarif(const AuditReport& report) { return SarifText(AuditAnnotations(report)); }

std::string AuditWorkflowCommands(const AuditReport& report) {
  return WorkflowCommands(AuditAnnotations(report));
}

}  // namespace ringfence
