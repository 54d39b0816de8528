// What of an audit needs a person: mismatches, changes, and why each call was refused.
#include <algorithm>

#include "base/text.h"
#include "cli/audit/explanation.h"
#include "cli/audit/markup.h"
#include "cli/audit/report_html_parts.h"

namespace ringfence {
namespace {

constexpr size_t kMaxName = 200;
constexpr size_t kMaxPath = 600;
constexpr size_t kMaxWhy = 1000;
constexpr size_t kMaxText = 2000;  // of a reason
constexpr size_t kItemsAtOnce = 200;

std::string Code(std::string_view text, size_t limit) {
  return "<code>" + Markup(text, limit) + "</code>";
}

// The reason, with the subject itself or with a word for it in place of the marks.
std::string ReasonHtml(const std::string& pattern, const Subject* subject) {
  std::string out;
  std::string_view rest = pattern;
  while (!rest.empty()) {
    constexpr char kMarks[] = {kWrittenMark, kResolvedMark};
    const size_t end = std::min(rest.find_first_of(std::string_view(kMarks, 2)), rest.size());
    out += Markup(rest.substr(0, end), kMaxText);
    if (end == rest.size()) break;
    const bool is_written = rest[end] == kWrittenMark;
    if (subject == nullptr) {
      out += is_written ? "<var>this</var>" : "<var>its path</var>";
    } else {
      out += Markup(is_written ? subject->written : subject->resolved, kMaxPath);
    }
    rest.remove_prefix(end + 1);
  }
  return out;
}

std::string TimeHtml(const std::string& text) {
  const std::optional<int64_t> time = UnixTime(text);
  return time ? "<time>" + DateTimeText(*time) + "</time>" : Markup(text, 40);
}

std::string FixtureHtml(const Fixture& fixture) {
  std::string out = PlaceHtml(fixture.place);
  // Whatever has no name of its own is called by its file.
  if (!fixture.name.starts_with(fixture.place.file.substr(0, fixture.place.file.rfind('.')))) {
    out = "<b>" + Markup(fixture.name, kMaxName) + "</b> " + out;
  }
  if (!fixture.time.empty()) out += " " + TimeHtml(fixture.time);
  if (!fixture.why.empty()) out += " <q>" + Markup(fixture.why, kMaxWhy) + "</q>";
  return out;
}

// "[1] [2]", where there is more than one.
std::string UnderHtml(const std::vector<size_t>& columns, const Matrix& matrix) {
  if (matrix.columns.size() < 2) return "";
  std::string out = " <span class=\"under\">under";
  for (const size_t column : columns) out += " [" + std::to_string(column + 1) + "]";
  return out + "</span>";
}

std::string CallsHtml(const ExplainedCalls& calls, const Matrix& matrix) {
  std::string out = "<li><b class=\"tool\">" + Markup(calls.tool, kMaxName) + "</b>";
  const std::string& written = calls.subject.written;
  if (!written.empty()) out += " <code>" + Markup(written, kMaxPath) + "</code>";
  const std::string& resolved = calls.subject.resolved;
  if (!resolved.empty() && written != "\"" + resolved + "\"") {
    out += " <span class=\"leads\">leads to " + Code(resolved, kMaxPath) + "</span>";
  }
  if (calls.decisions > calls.columns.size()) {
    out += " <span class=\"times\">" + Grouped(calls.decisions) + " decisions</span>";
  }
  out += UnderHtml(calls.columns, matrix) + "<ul class=\"from\">";
  for (const Fixture* fixture : calls.fixtures) {
    out +=
        (fixture->why.empty() ? "<li class=\"brief\">" : "<li>") + FixtureHtml(*fixture) + "</li> ";
  }
  if (calls.fixtures.size() == kMaxNamedFixtures &&
      calls.decisions > kMaxNamedFixtures * calls.columns.size()) {
    out += "<li class=\"brief\">and others like them</li>";
  }
  return out + "</ul></li>";
}

std::string ExplanationHtml(const Explanation& explanation, const Matrix& matrix) {
  const bool is_one = explanation.calls.size() == 1;
  std::string out = "<div class=\"explanation\">";
  if (!explanation.mismatch.empty()) {
    out += "<p class=\"mismatch\">" + Markup(explanation.mismatch, kMaxText) + "</p>";
  }
  out += "<p class=\"told\">" + DecisionHtml(explanation.decision);
  if (explanation.pattern.empty()) {
    out += ": the model is told nothing.</p>";
  } else {
    out += ": the model is told <q>" +
           ReasonHtml(explanation.pattern, is_one ? &explanation.calls.front().subject : nullptr) +
           "</q></p>";
  }
  std::vector<std::string> items;
  for (const ExplainedCalls& calls : explanation.calls) items.push_back(CallsHtml(calls, matrix));
  return out + PiecesHtml({"<ul class=\"calls\">", "</ul>", "call", kItemsAtOnce}, items) +
         "</div>";
}

struct RuleGroup {
  std::string rule;
  Tally tally{};
  std::vector<const Explanation*> explanations;
};

std::vector<RuleGroup> ByRule(const std::vector<Explanation>& explanations) {
  std::vector<RuleGroup> groups;
  std::map<std::string, size_t> places;
  for (const Explanation& explanation : explanations) {
    const auto [found, is_new] = places.try_emplace(explanation.rule, groups.size());
    if (is_new) groups.push_back({explanation.rule, {}, {}});
    RuleGroup& group = groups[found->second];
    group.tally[DecisionIndex(explanation.decision)] += explanation.decisions;
    group.explanations.push_back(&explanation);
  }
  std::ranges::stable_sort(groups, std::greater<>(),
                           [](const RuleGroup& group) { return TotalOf(group.tally); });
  return groups;
}

bool NeedsExplanation(const Cell& cell) { return cell.ruling.decision != "permit"; }

std::string RuleName(const std::string& rule) {
  return rule.empty() ? "<i>no rule of a policy</i>" : Code(rule, 300);
}

std::string SummaryHtml(const RuleGroup& group) {
  std::string out =
      "<summary><span class=\"rule\">" + RuleName(group.rule) + "</span><span class=\"counts\">";
  for (size_t i = 0; i < group.tally.size(); ++i) {
    if (group.tally[i] == 0) continue;
    out += " " + DecisionHtml(kDecisions[i]) + " " + Grouped(group.tally[i]);
  }
  return out + "</span></summary>";
}

// "deny (policy.json /write/deny)", or what stands for nothing.
std::string StateHtml(const std::string& state, std::string_view nothing) {
  if (state.empty()) return "<i>" + std::string(nothing) + "</i>";
  const size_t end = std::min(state.find(' '), state.size());
  return DecisionHtml(state.substr(0, end)) + " " + Markup(state.substr(end), 300);
}

}  // namespace

RuleAnchors AnchorsOf(const Matrix& matrix) {
  RuleAnchors anchors;
  for (const Row& row : matrix.rows) {
    for (const Cell& cell : row.cells) {
      if (!NeedsExplanation(cell)) continue;
      anchors.try_emplace(DecidingRule(cell.ruling), "rule-" + std::to_string(anchors.size() + 1));
    }
  }
  return anchors;
}

std::string MismatchesHtml(const AuditReport& report) {
  const ExplanationChoice choice{[](const Cell& cell) { return !cell.mismatch.empty(); }, true};
  const std::vector<Explanation> mismatches = ExplanationsOf(report.matrix, choice);
  std::string out;
  for (const Explanation& mismatch : mismatches) out += ExplanationHtml(mismatch, report.matrix);
  return out;
}

std::string ChangesHtml(const AuditReport& report) {
  if (report.changes.empty()) return "";
  std::vector<std::string> rows;
  for (const BaselineChange& change : report.changes) {
    rows.push_back("<tr><th scope=\"row\">" + Markup(change.fixture, kMaxName) + "</th><td>" +
                   Markup(change.under, kMaxName) + "</td><td>" +
                   StateHtml(change.before, "not there") + "</td><td>" +
                   StateHtml(change.now, "gone") + "</td></tr>");
  }
  const std::string begin =
      "<div class=\"scroll\" role=\"region\" aria-label=\"Changes since the baseline\" "
      "tabindex=\"0\"><table class=\"changes\"><caption>Different from " +
      Code(report.baseline, kMaxPath) +
      "</caption><thead><tr><th scope=\"col\">fixture</th><th scope=\"col\">under</th>"
      "<th scope=\"col\">was</th><th scope=\"col\">is</th></tr></thead><tbody>";
  return PiecesHtml({begin, "</tbody></table></div>", "change", kItemsAtOnce}, rows);
}

std::string ExplanationsHtml(const AuditReport& report, const RuleAnchors& anchors) {
  const std::vector<Explanation> explanations =
      ExplanationsOf(report.matrix, {NeedsExplanation, false});
  std::string out;
  for (const RuleGroup& group : ByRule(explanations)) {
    out += "<details class=\"group\" id=\"" + anchors.at(group.rule) + "\">" + SummaryHtml(group);
    for (const Explanation* explanation : group.explanations) {
      out += ExplanationHtml(*explanation, report.matrix);
    }
    out += "</details>";
  }
  return out;
}

}  // namespace ringfence
