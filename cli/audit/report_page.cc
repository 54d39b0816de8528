#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "cli/audit/report.h"
#include "cli/audit/report_template.h"
#include "cli/audit/statistics.h"
#include "cli/common/markup.h"
#include "cli/common/page.h"
#include "cli/common/since.h"

namespace ringfence {
namespace {

constexpr size_t kMaxLegible = 1000;
constexpr size_t kMaxTold = 2000;

void MakeLegible(OrderedJson& json) {
  if (json.is_string()) json = Legible(json.get_ref<const std::string&>(), kMaxLegible);
  if (!json.is_structured()) return;
  for (auto& item : json.items()) {
    if (item.key() != "told") MakeLegible(item.value());
  }
}

// Includes only spans with decisions, because most labels have few of them.
OrderedJson SeriesJson(const Series& series) {
  OrderedJson spans = OrderedJson::array();
  for (size_t i = 0; i < series.spans.size(); ++i) {
    if (TotalOf(series.spans[i]) != 0) spans.push_back(OrderedJson::array({i, series.spans[i]}));
  }
  return {{"label", series.label}, {"tally", series.tally}, {"spans", std::move(spans)}};
}

OrderedJson CountsJson(const Statistics& statistics) {
  OrderedJson json{{"all", SeriesJson(statistics.all)},
                   {"columns", JsonArray(statistics.columns, SeriesJson)},
                   {"tools", JsonArray(statistics.tools, SeriesJson)},
                   {"rules", JsonArray(statistics.rules, SeriesJson)},
                   {"timeless", statistics.timeless},
                   {"spans", OrderedJson::array()}};
  const TimeAxis& axis = statistics.axis;
  if (axis.spans == 0) return json;
  const bool has_days = axis.step % (24L * 60 * 60) == 0;
  for (size_t i = 0; i < axis.spans; ++i) {
    const int64_t time = axis.start + static_cast<int64_t>(i) * axis.step;
    json["spans"].push_back(has_days ? DateText(time) : DateTimeText(time));
  }
  json["step"] = StepName(axis.step);
  json["oldest"] = DateTimeText(statistics.oldest);
  json["newest"] = DateTimeText(statistics.newest);
  return json;
}

std::string FixturePlaceText(const Fixture& fixture) {
  return fixture.place.file + ":" + std::to_string(fixture.place.line);
}

OrderedJson FixtureJson(const Fixture* fixture) {
  const std::string& file = fixture->place.file;
  OrderedJson json;
  // Leaves out a name that was made from the file name.
  if (!fixture->name.starts_with(file.substr(0, file.rfind('.')))) json["name"] = fixture->name;
  json["place"] = FixturePlaceText(*fixture);
  const std::optional<int64_t> time = UnixTime(fixture->time);
  json["time"] = time ? DateTimeText(*time) : Legible(fixture->time, 40);
  json["why"] = fixture->why;
  return json;
}

OrderedJson ExplainedCallsJson(const ExplainedCalls& calls) {
  return {{"tool", calls.tool},
          {"written", calls.subject.written},
          {"path", calls.subject.resolved},
          {"decisions", calls.decisions},
          {"columns", calls.columns},
          {"fixtures", JsonArray(calls.fixtures, FixtureJson)}};
}

OrderedJson ExplanationJson(const Explanation& explanation) {
  return {{"rule", explanation.rule},
          {"decision", VerdictName(explanation.decision)},
          {"decisions", explanation.decisions},
          {"mismatch", explanation.mismatch},
          {"told", CutText(explanation.pattern, kMaxTold)},
          {"calls", JsonArray(explanation.calls, ExplainedCallsJson)}};
}

// Returns the resolved path of the call, or else the text that it named.
std::string MatrixPath(const CellResult& result) {
  if (!result.paths.empty()) return result.paths.front();
  Subject subject;
  PatternOf(result, subject);
  const std::string& written = subject.written;
  const std::string name = written.empty() ? "" : written.substr(1, written.size() - 2);
  return name == result.tool ? "" : name;
}

// Decisions in the baseline, by fixture and column; "" if new.
using Before = std::map<std::pair<std::string, std::string>, std::string>;

OrderedJson MatrixCell(const Fixture& fixture, const Cell& cell) {
  OrderedJson json{{"decision", VerdictName(cell.result.decision)}};
  // The cell links to the explanation of this rule.
  if (cell.result.decision != LoggedVerdict::kPermit) json["rule"] = DecidingRule(cell.result);
  if (cell.mismatch.empty()) return json;
  const LoggedVerdict wanted = fixture.expected.decision.value_or(cell.result.decision);
  json["wrong"] = wanted != cell.result.decision ? "expected " + std::string(VerdictName(wanted))
                                                 : "not as expected";
  return json;
}

OrderedJson MatrixRow(const Row& row, const Matrix& matrix, const Before& before) {
  std::vector<OrderedJson> cells(matrix.columns.size());  // null: not decided under this column
  for (const Cell& cell : row.cells) {
    cells[cell.column] = MatrixCell(row.fixture, cell);
    const auto was = before.find({row.fixture.name, matrix.columns[cell.column].label()});
    if (was != before.end()) cells[cell.column]["was"] = was->second;
  }
  const CellResult result = row.cells.empty() ? CellResult() : row.cells.front().result;
  return {{"cells", std::move(cells)}, {"tool", result.tool}, {"path", MatrixPath(result)}};
}

// Recorded calls that differ only in their time share one row; a named fixture keeps its own row.
OrderedJson RowsJson(const AuditReport& report) {
  Before before;
  for (const auto& change : report.changes) before[{change.fixture, change.under}] = change.before;
  OrderedJson rows = OrderedJson::array();
  std::map<std::string, size_t> places;
  for (const Row& row : report.matrix.rows) {
    const Fixture& fixture = row.fixture;
    OrderedJson json = MatrixRow(row, report.matrix, before);
    if (!fixture.time.empty() && !row.cells.empty() && fixture.name == FixturePlaceText(fixture)) {
      std::string key = JsonText(json);
      if (fixture.expected.decision) key += VerdictName(*fixture.expected.decision);
      for (const Cell& cell : row.cells) key += "\n" + DecidingRule(cell.result) + cell.mismatch;
      const auto [found, is_new] = places.try_emplace(std::move(key), rows.size());
      if (!is_new) {
        OrderedJson& same = rows[found->second];
        same["count"] = same.value("count", size_t{1}) + 1;
        continue;
      }
    }
    json["name"] = fixture.name;
    rows.push_back(std::move(json));
  }
  return rows;
}

size_t Demanding(const AuditReport& report) {
  return static_cast<size_t>(std::ranges::count_if(report.matrix.rows, [](const Row& row) {
    return row.fixture.expected.decision.has_value();
  }));
}

// "Sound: every decision is as expected"
std::string AnswerOf(const AuditReport& report) {
  const size_t wrong = report.mismatches();
  std::string text;
  if (wrong != 0)
    text = Counted(wrong, "decision") + (wrong == 1 ? " is" : " are") + " not as expected";
  if (!report.changes.empty()) {
    text += (text.empty() ? "" : ", ") + Counted(report.changes.size(), "difference") +
            " from the baseline";
  }
  if (!text.empty()) return "Not sound: " + text;
  if (report.matrix.rows.empty()) return "Nothing was decided";
  if (Demanding(report) != 0) return "Sound: every decision is as expected";
  return report.baseline.empty() ? "No fixture says what should be decided"
                                 : "Sound: every decision is as in the baseline";
}

// The page around the data, with tables of the verdicts for browsers without scripts.

// Renders a value as HTML: an array as a list, an object as its texts in a row.
std::string ValueHtml(const OrderedJson& json) {
  std::string out;
  if (json.is_structured()) {
    for (const OrderedJson& value : json) {
      if (value.is_number()) continue;
      const std::string html = ValueHtml(value);
      out += json.is_array() ? "<li>" + html + "</li>" : html + " ";
    }
    return json.is_object() || out.empty() ? out : "<ol>" + out + "</ol>";
  }
  if (json.is_null()) return "\xE2\x80\x93";
  if (json.is_number()) return Grouped(json);
  for (const char c : json.get<std::string>()) {
    out += c == kWrittenMark ? "(this)" : c == kResolvedMark ? "(its path)" : std::string(1, c);
  }
  return Markup(out);
}

// Renders a table with one row for each of `things` and one column for each key.
std::string TableHtml(std::string_view caption, const std::vector<const char*>& keys,
                      const OrderedJson& things) {
  if (things.empty()) return "";
  std::string out = "<section class=\"scroll\" aria-label=\"" + std::string(caption) +
                    "\" tabindex=\"0\"><table><caption>" + std::string(caption) +
                    "</caption><thead><tr>";
  for (const char* key : keys) out += "<th scope=\"col\">" + std::string(key) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const OrderedJson& thing : things) {
    out += "<tr>";
    for (const char* key : keys)
      out += "<td>" + ValueHtml(thing.value(key, OrderedJson(""))) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></section>\n";
}

std::string NoScriptHtml(const OrderedJson& page) {
  std::string counts;
  for (size_t i = 0; i < kDecisionKinds; ++i) {
    counts += Grouped(page["counts"]["all"]["tally"][i]) + " " +
              std::string(VerdictName(static_cast<LoggedVerdict>(i))) + ", ";
  }
  return "<p>" + counts + Grouped(page["mismatches"]) + " not as expected. Decided under:</p>" +
         ValueHtml(page["labels"]) +
         TableHtml("Not as expected", {"mismatch", "decision", "rule", "told", "calls"},
                   page["wrong"]) +
         TableHtml("Changed since the baseline", {"fixture", "under", "before", "now"},
                   page["changes"]) +
         TableHtml("Denials and questions, by rule",
                   {"rule", "decision", "decisions", "told", "calls"}, page["reasons"]) +
         TableHtml("The matrix", {"name", "count", "cells", "tool", "path"}, page["rows"]);
}

}  // namespace

OrderedJson PageJson(const AuditReport& report) {
  const Matrix& matrix = report.matrix;
  const auto is_wrong = [](const Cell& cell) { return !cell.mismatch.empty(); };
  const auto is_refused = [](const Cell& cell) {
    return cell.result.decision != LoggedVerdict::kPermit;
  };
  OrderedJson json{
      {"answer", AnswerOf(report)},
      {"fixtures", matrix.rows.size()},
      {"demanding", Demanding(report)},
      {"decisions", report.decisions()},
      {"mismatches", report.mismatches()},
      {"baseline", report.baseline},
      {"skipped", report.skipped},
      {"counts", CountsJson(StatisticsOf(matrix))},
      {"wrong", JsonArray(ExplanationsOf(matrix, {is_wrong, true}), ExplanationJson)},
      {"changes", ChangesJson(report)},
      {"reasons", JsonArray(ExplanationsOf(matrix, {is_refused, false}), ExplanationJson)},
      {"rows", RowsJson(report)}};
  json["labels"] = JsonArray(matrix.columns, [](const Column& column) { return column.label(); });
  json["policies"] = JsonArray(matrix.columns, [](const Column& column) { return column.policy; });
  if (report.unmet) {
    json["unmet"] = JsonArray(*report.unmet, [](const RuleEntry& rule) { return rule.label(); });
    json["rules"] = std::set(matrix.rules.begin(), matrix.rules.end()).size();
  }
  MakeLegible(json);
  return json;
}

std::string AuditHtml(const AuditReport& report) {
  const OrderedJson page = PageJson(report);
  const bool is_none = page["demanding"] == 0 && report.baseline.empty();
  return Page({.command = "audit",
               .title = ValueHtml(page["answer"]),
               .tone = !report.is_sound() ? "bad"
                       : is_none          ? "none"
                                          : "good",
               .css = kReportCss,
               .js = kReportJs,
               .before = std::string(kReportPatterns),
               .main = "<noscript>\n"
                       "<p>With JavaScript this page has charts, filters and an order.</p>\n" +
                       NoScriptHtml(page) + "</noscript>\n",
               .after = "<script id=\"report\" type=\"application/json\">" + ScriptJson(page) +
                        "</script>\n"});
}

}  // namespace ringfence
