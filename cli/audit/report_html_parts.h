// The parts of the HTML report (report_html.cc puts them together). Each is whole markup.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/audit/report.h"
#include "cli/audit/statistics.h"

namespace ringfence {

// The decisions over time, and as numbers; "" where nothing has a time.
std::string TimeChartHtml(const Statistics& statistics);

struct SeriesTable {
  std::string_view caption;
  std::string_view heading;  // of the first column
  std::string_view unnamed;  // what stands for a label that is empty
};
// A line for each series, with its numbers and its bars: over time where there are times, else one
// that is as long as the series is large. Beyond some lines the rest is in one.
std::string SeriesTableHtml(const SeriesTable& table, const std::vector<Series>& series,
                            const Statistics& statistics);

// Where the explanations of a rule are in the page, by DecidingRule().
using RuleAnchors = std::map<std::string, std::string>;
RuleAnchors AnchorsOf(const Matrix& matrix);

// What is not as expected, or not as in the baseline; "" where nothing is.
std::string MismatchesHtml(const AuditReport& report);
std::string ChangesHtml(const AuditReport& report);
// Every denial, question and error, by rule.
std::string ExplanationsHtml(const AuditReport& report, const RuleAnchors& anchors);

std::string MatrixHtml(const AuditReport& report, const RuleAnchors& anchors);

// Many items in pieces that a browser opens one by one: the first is open, each other one is
// folded.
struct Pieces {
  std::string_view begin;  // of each piece
  std::string_view end;
  std::string_view word;  // "call": what an item is
  size_t size;            // of a piece
};
std::string PiecesHtml(const Pieces& pieces, const std::vector<std::string>& items);

// "deny", so that the kinds can be told apart without colour.
std::string DecisionHtml(std::string_view decision);
// "captured/Read.json:1"
std::string PlaceHtml(const FixturePlace& place);

}  // namespace ringfence
