// One page that needs nothing else: the answer, what needs a person, counts, reasons, the matrix.
#include <algorithm>
#include <set>

#include "cli/audit/markup.h"
#include "cli/audit/report.h"
#include "cli/audit/report_html_parts.h"
#include "cli/audit/report_template.h"

namespace ringfence {
namespace {

constexpr size_t kMaxLine = 400;
constexpr size_t kPiece = 200;

std::string Section(std::string_view id, std::string_view heading, const std::string& content) {
  if (content.empty()) return "";
  return "<section aria-labelledby=\"" + std::string(id) + "\"><h2 id=\"" + std::string(id) +
         "\" tabindex=\"-1\">" + std::string(heading) + "</h2>" + content + "</section>\n";
}

size_t Demanding(const AuditReport& report) {
  return static_cast<size_t>(std::ranges::count_if(
      report.matrix.rows, [](const Row& row) { return !row.fixture.expected.decision.empty(); }));
}

std::string AnswerText(const AuditReport& report) {
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

// "bad", "good", or "none" where nothing was demanded.
std::string_view AnswerClass(const AuditReport& report) {
  if (!report.is_sound()) return "bad";
  return Demanding(report) == 0 && report.baseline.empty() ? "none" : "good";
}

std::string Lede(const AuditReport& report, const Statistics& statistics) {
  const size_t columns = report.matrix.columns.size();
  std::string text = Counted(report.matrix.rows.size(), "fixture") + ", " +
                     Counted(report.decisions(), "decision") + " under " +
                     (columns == 1 ? "one policy" : Grouped(columns) + " policies and profiles");
  if (statistics.axis.spans != 0) {
    text += ", from <time>" + DateTimeText(statistics.oldest) + "</time> to <time>" +
            DateTimeText(statistics.newest) + "</time> UTC";
  }
  text += ".";
  if (!report.baseline.empty()) text += " Compared with " + Markup(report.baseline, kMaxLine) + ".";
  const size_t demanding = Demanding(report);
  if (demanding != 0 && demanding != report.matrix.rows.size()) {
    text += " " + Counted(demanding, "fixture") + (demanding == 1 ? " says" : " say") +
            " what should be decided.";
  }
  return text;
}

std::string Figure(const std::string& name, size_t number, bool is_bad) {
  return std::string("<div") + (is_bad ? " class=\"bad\"" : "") + "><dt>" + name + "</dt><dd>" +
         Grouped(number) + "</dd></div>";
}

std::string Figures(const AuditReport& report, const Statistics& statistics) {
  std::string out;
  for (size_t i = 0; i < kDecisions.size(); ++i) {
    out += Figure(DecisionHtml(kDecisions[i]), statistics.all.tally[i], false);
  }
  const size_t wrong = report.mismatches();
  out += Figure("not as expected", wrong, wrong != 0);
  if (!report.baseline.empty()) {
    out += Figure("changed", report.changes.size(), !report.changes.empty());
  }
  if (report.unmet) out += Figure("rules never met", report.unmet->size(), false);
  return out;
}

std::string UnmetHtml(const AuditReport& report) {
  if (!report.unmet) return "";
  if (report.unmet->empty()) return "<p>Every rule was met by a fixture.</p>";
  std::vector<std::string> items;
  for (const RuleEntry& rule : *report.unmet) {
    items.push_back("<li><code>" + Markup(rule.label(), kMaxLine) + "</code></li>");
  }
  const std::set<RuleEntry> rules(report.matrix.rules.begin(), report.matrix.rules.end());
  return "<p>Of " + Counted(rules.size(), "rule") + ", no fixture met " + Grouped(items.size()) +
         ".</p>" + PiecesHtml({"<ul class=\"plain\">", "</ul>", "rule", kPiece}, items);
}

std::string SkippedHtml(const AuditReport& report) {
  if (report.skipped.empty()) return "";
  std::vector<std::string> items;
  for (const std::string& line : report.skipped) {
    items.push_back("<li>" + Markup(line, kMaxLine) + "</li>");
  }
  return "<details><summary>" + Counted(items.size(), "event") +
         " left out, because nothing is decided about them</summary>" +
         PiecesHtml({"<ul class=\"plain\">", "</ul>", "event", kPiece}, items) + "</details>";
}

std::string CountsHtml(const Statistics& statistics) {
  const bool has_times = statistics.axis.spans != 0;
  std::string out = TimeChartHtml(statistics);
  out += std::string("<p class=\"note\">") +
         (has_times ? "Below, each line has bars over the same time, in a scale of its own.</p>"
                    : "The fixtures carry no time, so there are no dates.</p>");
  if (statistics.columns.size() > 1) {
    out += SeriesTableHtml({"Decisions by policy and profile", "under", ""}, statistics.columns,
                           statistics);
  }
  out += SeriesTableHtml({"Decisions by tool", "tool", "no tool"}, statistics.tools, statistics);
  return out + SeriesTableHtml({"Decisions by rule", "rule that decided", "no rule"},
                               statistics.rules, statistics);
}

std::string ColumnsHtml(const Matrix& matrix) {
  // A handful is a part of the answer.
  std::string out = std::string("<details") + (matrix.columns.size() <= 4 ? " open" : "") +
                    "><summary>Decided under</summary><ol class=\"columns\">";
  for (const Column& column : matrix.columns) {
    out += "<li><code>" + Markup(column.label(), kMaxLine) + "</code></li>";
  }
  return out + "</ol></details>";
}

std::string Link(std::string_view id, std::string_view text) {
  return "<li><a href=\"#" + std::string(id) + "\">" + std::string(text) + "</a></li>";
}

struct Parts {
  std::string main;
  std::string links;

  void Add(std::string_view id, std::string_view heading, const std::string& content) {
    if (content.empty()) return;
    main += Section(id, heading, content);
    links += Link(id, heading);
  }
};

Parts PartsOf(const AuditReport& report, const Statistics& statistics) {
  const RuleAnchors anchors = AnchorsOf(report.matrix);
  Parts parts;
  parts.Add("mismatches", "Not as expected", MismatchesHtml(report));
  parts.Add("changes", "Changed since the baseline", ChangesHtml(report));
  if (report.decisions() != 0) parts.Add("counts", "What was decided", CountsHtml(statistics));
  parts.Add("reasons", "Denials and questions, by rule", ExplanationsHtml(report, anchors));
  parts.Add("coverage", "Rules never met", UnmetHtml(report));
  parts.Add("matrix", "The matrix", MatrixHtml(report, anchors));
  return parts;
}

}  // namespace

std::string DecisionHtml(std::string_view decision) {
  const std::string name(kDecisions[DecisionIndex(decision)]);
  return "<span class=\"decision " + name + "\">" + name + "</span>";
}

std::string PlaceHtml(const FixturePlace& place) {
  return "<code>" + Markup(place.file, kMaxLine) + ":" + std::to_string(place.line) + "</code>";
}

std::string PiecesHtml(const Pieces& pieces, const std::vector<std::string>& items) {
  std::string out;
  for (size_t first = 0; first < items.size(); first += pieces.size) {
    const size_t end = std::min(items.size(), first + pieces.size);
    if (first != 0) {
      out += "<details class=\"piece\"><summary>" + std::string(pieces.word) + "s " +
             Grouped(first + 1) + " to " + Grouped(end) + " of " + Grouped(items.size()) +
             "</summary>";
    }
    out += pieces.begin;
    for (size_t i = first; i < end; ++i) out += items[i];
    out += pieces.end;
    if (first != 0) out += "</details>";
  }
  return out;
}

std::string AuditHtml(const AuditReport& report) {
  const Statistics statistics = StatisticsOf(report.matrix);
  const Parts parts = PartsOf(report, statistics);
  const std::string policy = "default-src 'none'; style-src " + PolicyHash(kReportCss) +
                             "; script-src " + PolicyHash(kReportJs) +
                             "; base-uri 'none'; form-action 'none'; "
                             "require-trusted-types-for 'script'; trusted-types 'none'";
  const std::string answer = AnswerText(report);
  const Slot slots[] = {{"policy", policy},
                        {"css", std::string(kReportCss)},
                        {"js", std::string(kReportJs)},
                        {"answer", answer},
                        {"sound", std::string(AnswerClass(report))},
                        {"lede", Lede(report, statistics)},
                        {"figures", Figures(report, statistics)},
                        {"columns", ColumnsHtml(report.matrix)},
                        {"skipped", SkippedHtml(report)},
                        {"links", parts.links},
                        {"main", parts.main},
                        {"version", RINGFENCE_VERSION}};
  return Fill(kReportHtml, slots);
}

}  // namespace ringfence
