#include "cli/audit/statistics.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <numeric>
#include <tuple>

#include "base/add_once.h"
#include "base/text.h"
#include "cli/common/since.h"

namespace ringfence {
namespace {

constexpr int64_t kMinute = 60;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kWeek = 7 * kDay;
constexpr int64_t kFirstMonday = 4 * kDay;  // Unix time began on a Thursday

int64_t RoundedDown(int64_t time, int64_t step) {
  const int64_t since = time - (step >= kWeek ? kFirstMonday : 0);
  const int64_t over = (since % step + step) % step;
  return time - over;
}

// Formats a time in UTC; `format` is that of strftime(3).
std::string TimeText(int64_t time, const char* format) {
  const time_t seconds = time;
  tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

struct Moment {
  size_t decision;             // a LoggedVerdict
  std::optional<size_t> span;  // nullopt: time unknown
};

void AddTo(const Moment& moment, Series& series) {
  ++series.tally[moment.decision];
  if (moment.span) ++series.spans[*moment.span][moment.decision];
}

Series Empty(std::string label, const TimeAxis& axis) {
  return {std::move(label), {}, std::vector<Tally>(axis.spans)};
}

// Counts decisions by label.
class Counter {
 public:
  explicit Counter(const TimeAxis& axis) : axis_(axis) {}

  void Add(const std::string& label, const Moment& moment) {
    const auto [found, is_new] = places_.try_emplace(label, series_.size());
    if (is_new) series_.push_back(Empty(label, axis_));
    AddTo(moment, series_[found->second]);
  }

  std::vector<Series> MostFirst() {
    std::ranges::stable_sort(series_, std::greater<>(),
                             [](const Series& series) { return TotalOf(series.tally); });
    return std::move(series_);
  }

 private:
  const TimeAxis& axis_;
  std::map<std::string, size_t> places_;
  std::vector<Series> series_;
};

void FindSpan(const Matrix& matrix, Statistics& statistics) {
  bool is_first = true;
  for (const Row& row : matrix.rows) {
    const std::optional<int64_t> time = UnixTime(row.fixture.time);
    if (row.cells.empty()) continue;
    if (!time) {
      statistics.timeless += row.cells.size();
      continue;
    }
    statistics.oldest = is_first ? *time : std::min(statistics.oldest, *time);
    statistics.newest = is_first ? *time : std::max(statistics.newest, *time);
    is_first = false;
  }
  if (!is_first) statistics.axis = AxisFor(statistics.oldest, statistics.newest);
}

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
  std::map<std::tuple<std::string, LoggedVerdict, std::string, std::string>, size_t> places_;
  std::map<std::tuple<size_t, std::string, std::string, std::string>, size_t> calls_;
  size_t current_ = 0;
  std::vector<Explanation> explanations_;
};

}  // namespace

size_t TotalOf(const Tally& tally) {
  return std::accumulate(tally.begin(), tally.end(), size_t{0});
}

TimeAxis AxisFor(int64_t oldest, int64_t newest) {
  constexpr int64_t kSteps[] = {kMinute,   5 * kMinute, 15 * kMinute, kHour,
                                6 * kHour, kDay,        kWeek,        4 * kWeek};
  const auto spans_of = [&](int64_t step) {
    return static_cast<size_t>((newest - RoundedDown(oldest, step)) / step + 1);
  };
  int64_t step = 0;
  for (const int64_t candidate : kSteps) {
    step = candidate;
    if (spans_of(step) <= kMaxSpans) break;
  }
  while (spans_of(step) > kMaxSpans) step *= 2;
  return {RoundedDown(oldest, step), step, spans_of(step)};
}

std::string StepName(int64_t step) {
  constexpr std::pair<int64_t, std::string_view> kUnits[] = {
      {kWeek, "week"}, {kDay, "day"}, {kHour, "hour"}, {kMinute, "minute"}};
  for (const auto& [seconds, name] : kUnits) {
    if (step % seconds != 0) continue;
    const int64_t count = step / seconds;
    return count == 1 ? std::string(name) : std::to_string(count) + " " + std::string(name) + "s";
  }
  return std::to_string(step) + " seconds";
}

std::string DateText(int64_t time) { return TimeText(time, "%Y-%m-%d"); }
std::string DateTimeText(int64_t time) { return TimeText(time, "%Y-%m-%d %H:%M"); }

std::string DecidingRule(const CellResult& result) {
  if (!result.rule.empty()) {
    // A call outside an allow list matches none of its entries.
    if (result.rule.ends_with("/allow")) return result.rule;
    const auto entry = std::ranges::find_if(result.met, [&](const RuleEntry& met) {
      return met.label().starts_with(result.rule + " ");
    });
    return entry == result.met.end() ? result.rule : entry->label();
  }
  if (result.decision != LoggedVerdict::kPermit || result.met.empty()) return "";
  // A rule about a path is more informative than one that allows the tool.
  const auto entry = std::ranges::find_if(result.met, [](const RuleEntry& met) {
    return met.pointer.find("/tools/") == std::string::npos;
  });
  return (entry == result.met.end() ? result.met.front() : *entry).label();
}

Statistics StatisticsOf(const Matrix& matrix) {
  Statistics statistics;
  FindSpan(matrix, statistics);
  const TimeAxis& axis = statistics.axis;
  statistics.all = Empty("", axis);
  for (const Column& column : matrix.columns) {
    statistics.columns.push_back(Empty(column.label(), axis));
  }
  Counter tools(axis);
  Counter rules(axis);
  for (const Row& row : matrix.rows) {
    const std::optional<int64_t> time = UnixTime(row.fixture.time);
    std::optional<size_t> span;
    if (time) span = static_cast<size_t>((*time - axis.start) / axis.step);
    for (const Cell& cell : row.cells) {
      const Moment moment{static_cast<size_t>(cell.result.decision), span};
      AddTo(moment, statistics.all);
      AddTo(moment, statistics.columns[cell.column]);
      tools.Add(cell.result.tool, moment);
      rules.Add(DecidingRule(cell.result), moment);
    }
  }
  statistics.tools = tools.MostFirst();
  statistics.rules = rules.MostFirst();
  return statistics;
}

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
