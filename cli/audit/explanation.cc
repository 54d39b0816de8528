#include "cli/audit/explanation.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/add_once.h"
#include "base/text.h"
#include "cli/audit/statistics.h"

namespace ringfence {
namespace {

// Returns the first quoted text, with its quotes.
std::string QuotedIn(const std::string& text) {
  const size_t begin = text.find('"');
  if (begin == std::string::npos) return "";
  for (size_t end = begin + 1; end < text.size(); ++end) {
    if (text[end] == '\\') {
      ++end;
    } else if (text[end] == '"') {
      return text.substr(begin, end + 1 - begin);
    }
  }
  return "";
}

void ReplaceAll(const std::string& what, char mark, std::string& text) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    text.replace(at, what.size(), 1, mark);
  }
}

// Replaces `path` where it is a whole word, as in suggested commands.
void ReplacePath(const std::string& path, std::string& text) {
  if (path.size() < 2) return;
  const std::string word = " " + path;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool is_whole = end == text.size() || text[end] == ' ' || text[end] == '\n';
    if (is_whole) text.replace(at + 1, path.size(), 1, kResolvedMark);
  }
}

class Collector {
 public:
  explicit Collector(const ExplanationChoice& choice) : choice_(choice) {}

  void Add(const Fixture& fixture, const Cell& cell) {
    Subject subject;
    const std::string pattern = PatternOf(cell.result, subject);
    Explanation& explanation = ExplanationFor(cell, pattern);
    ++explanation.decisions;
    ExplainedCalls& calls = CallsFor(explanation, subject, cell.result.tool);
    ++calls.decisions;
    AddOnce(calls.columns, cell.column);
    const bool is_new = calls.fixtures.empty() || calls.fixtures.back() != &fixture;
    if (is_new && calls.fixtures.size() < kMaxNamedFixtures) calls.fixtures.push_back(&fixture);
  }

  std::vector<Explanation> Take() {
    std::ranges::stable_sort(explanations_, std::greater<>(), &Explanation::decisions);
    for (Explanation& explanation : explanations_) {
      std::ranges::stable_sort(explanation.calls, std::greater<>(), &ExplainedCalls::decisions);
    }
    return std::move(explanations_);
  }

 private:
  Explanation& ExplanationFor(const Cell& cell, const std::string& pattern) {
    const std::string rule = DecidingRule(cell.result);
    const std::string mismatch = choice_.by_mismatch ? cell.mismatch : "";
    const auto [found, is_new] = places_.try_emplace(
        std::tuple(rule, cell.result.decision, mismatch, pattern), explanations_.size());
    if (is_new) explanations_.push_back({rule, cell.result.decision, mismatch, pattern, {}, 0});
    current_ = found->second;
    return explanations_[current_];
  }

  ExplainedCalls& CallsFor(Explanation& explanation, const Subject& subject,
                           const std::string& tool) {
    const auto [found, is_new] = calls_.try_emplace(
        std::tuple(current_, subject.written, subject.resolved, tool), explanation.calls.size());
    if (is_new) explanation.calls.push_back({subject, tool, {}, {}, 0});
    return explanation.calls[found->second];
  }

  const ExplanationChoice& choice_;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, size_t> places_;
  std::map<std::tuple<size_t, std::string, std::string, std::string>, size_t> calls_;
  size_t current_ = 0;
  std::vector<Explanation> explanations_;
};

}  // namespace

std::string PatternOf(const CellResult& result, Subject& subject) {
  std::string pattern = PrintableLines(result.reason);
  subject.written = QuotedIn(pattern);
  if (!result.paths.empty()) subject.resolved = Printable(result.paths.front());
  if (!subject.written.empty()) ReplaceAll(subject.written, kWrittenMark, pattern);
  ReplacePath(subject.resolved, pattern);
  return pattern;
}

std::vector<Explanation> ExplanationsOf(const Matrix& matrix, const ExplanationChoice& choice) {
  Collector collector(choice);
  for (const Row& row : matrix.rows) {
    for (const Cell& cell : row.cells) {
      if (choice.wants(cell)) collector.Add(row.fixture, cell);
    }
  }
  return collector.Take();
}

}  // namespace ringfence
