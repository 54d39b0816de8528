// Charts of the HTML report: SVG without text, so that it may be stretched; the text is beside it.
#include <algorithm>

#include "cli/audit/markup.h"
#include "cli/audit/report_html_parts.h"

namespace ringfence {
namespace {

// The page stretches them to what it needs. Patterns have the same unit.
constexpr size_t kWidth = 6000;
constexpr size_t kHeight = 1000;
constexpr size_t kLeast = 40;       // what is there is seen, however much else there is
constexpr size_t kMaxSeries = 15;   // lines of a table
constexpr size_t kMaxFolded = 500;  // lines below it, without bars

std::string Points(size_t x, size_t y) { return std::to_string(x) + " " + std::to_string(y); }

// The size of each part of `tally` where `largest` fills `length`.
Tally Lengths(const Tally& tally, size_t largest, size_t length) {
  Tally lengths{};
  const size_t scaled = length - kLeast * kDecisions.size();
  for (size_t i = 0; i < tally.size(); ++i) {
    if (tally[i] != 0) lengths[i] = std::max(kLeast, tally[i] * scaled / largest);
  }
  return lengths;
}

std::string PathsSvg(const std::array<std::string, kDecisions.size()>& paths) {
  std::string out;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (paths[i].empty()) continue;
    out += "<path class=\"" + std::string(kDecisions[i]) + "\" d=\"" + paths[i] + "\"/>";
  }
  return out;
}

size_t LargestSpan(const Series& series) {
  size_t largest = 0;
  for (const Tally& span : series.spans) largest = std::max(largest, TotalOf(span));
  return largest;
}

// Beside each other, the kinds of each span on top of each other.
std::string Columns(const Series& series) {
  const size_t largest = LargestSpan(series);
  if (largest == 0) return "";
  std::array<std::string, kDecisions.size()> paths;
  const size_t pitch = kWidth / series.spans.size();
  const size_t width = std::min(pitch - pitch / 6, kWidth / 8);
  for (size_t i = 0; i < series.spans.size(); ++i) {
    const Tally lengths = Lengths(series.spans[i], largest, kHeight);
    size_t bottom = kHeight;
    for (size_t kind = 0; kind < lengths.size(); ++kind) {
      if (lengths[kind] == 0) continue;
      paths[kind] += "M" + Points(i * pitch, bottom) + "v-" + std::to_string(lengths[kind]) + "h" +
                     std::to_string(width) + "v" + std::to_string(lengths[kind]) + "z";
      bottom -= lengths[kind];
    }
  }
  return PathsSvg(paths);
}

// One bar from the left, of what the largest of its table is.
std::string Bar(const Tally& tally, size_t largest) {
  std::array<std::string, kDecisions.size()> paths;
  const Tally lengths = Lengths(tally, largest, kWidth);
  size_t left = 0;
  for (size_t kind = 0; kind < lengths.size(); ++kind) {
    if (lengths[kind] == 0) continue;
    paths[kind] = "M" + Points(left, 0) + "h" + std::to_string(lengths[kind]) + "v" +
                  std::to_string(kHeight) + "H" + std::to_string(left) + "z";
    left += lengths[kind];
  }
  return PathsSvg(paths);
}

std::string TallyWords(const Tally& tally) {
  std::string words;
  for (size_t i = 0; i < tally.size(); ++i) {
    if (tally[i] == 0) continue;
    words += (words.empty() ? "" : ", ") + Grouped(tally[i]) + " " + std::string(kDecisions[i]);
  }
  return words.empty() ? "none" : words;
}

std::string SpanLabel(const TimeAxis& axis, size_t span) {
  const int64_t time = axis.start + static_cast<int64_t>(span) * axis.step;
  return axis.step % (24L * 60 * 60) == 0 ? DateText(time) : DateTimeText(time);
}

// What the pointer shows: one invisible piece a span.
std::string Hints(const Statistics& statistics) {
  std::string out;
  const size_t pitch = kWidth / statistics.axis.spans;
  for (size_t i = 0; i < statistics.axis.spans; ++i) {
    out += "<path class=\"hint\" d=\"M" + Points(i * pitch, 0) + "h" + std::to_string(pitch) + "v" +
           std::to_string(kHeight) + "h-" + std::to_string(pitch) + "z\"><title>" +
           SpanLabel(statistics.axis, i) + ": " + TallyWords(statistics.all.spans[i]) +
           "</title></path>";
  }
  return out;
}

std::string Svg(std::string_view attributes, const std::string& content) {
  return "<svg " + std::string(attributes) + " viewBox=\"0 0 " + Points(kWidth, kHeight) +
         "\" preserveAspectRatio=\"none\">" + content + "</svg>";
}

// A column for each kind of decision that there is at all; `all` says which.
std::string NumberCells(const Tally& tally, const Tally& all) {
  std::string out = "<td>" + Grouped(TotalOf(tally)) + "</td>";
  for (size_t i = 0; i < tally.size(); ++i) {
    if (all[i] == 0) continue;
    out += tally[i] == 0 ? "<td class=\"zero\">0</td>" : "<td>" + Grouped(tally[i]) + "</td>";
  }
  return out;
}

std::string NumberHeadings(std::string_view first, const Tally& all) {
  std::string out =
      "<thead><tr><th scope=\"col\">" + std::string(first) + "</th><th scope=\"col\">all</th>";
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] != 0) out += "<th scope=\"col\">" + DecisionHtml(kDecisions[i]) + "</th>";
  }
  return out + "</tr></thead>";
}

std::string SpansTable(const Statistics& statistics) {
  std::string out =
      "<details><summary>The same as numbers</summary>"
      "<div class=\"scroll\" role=\"region\" aria-label=\"Decisions over time as numbers\" "
      "tabindex=\"0\"><table class=\"numbers\"><caption>Decisions by " +
      StepName(statistics.axis.step) + ", UTC</caption>" +
      NumberHeadings("from", statistics.all.tally) + "<tbody>";
  for (size_t i = 0; i < statistics.axis.spans; ++i) {
    out += "<tr><th scope=\"row\">" + SpanLabel(statistics.axis, i) + "</th>" +
           NumberCells(statistics.all.spans[i], statistics.all.tally) + "</tr>";
  }
  return out + "</tbody></table></div></details>";
}

struct Scale {
  const Statistics& statistics;
  size_t largest;  // total of a series
};

std::string SeriesLine(const std::string& label, const Series& series, const Scale& scale) {
  const bool has_times = scale.statistics.axis.spans != 0;
  const std::string bars =
      has_times ? Svg("class=\"bars\" aria-hidden=\"true\"", Columns(series))
                : Svg("class=\"bars flat\" aria-hidden=\"true\"", Bar(series.tally, scale.largest));
  return "<tr><th scope=\"row\"><div class=\"series\"><span>" + label + "</span>" + bars +
         "</div></th>" + NumberCells(series.tally, scale.statistics.all.tally) + "</tr>";
}

Series SumOf(const std::vector<Series>& series, size_t first) {
  Series sum{"", {}, series.at(first).spans};
  for (Tally& span : sum.spans) span = {};
  for (size_t i = first; i < series.size(); ++i) {
    for (size_t kind = 0; kind < sum.tally.size(); ++kind) {
      sum.tally[kind] += series[i].tally[kind];
      for (size_t span = 0; span < sum.spans.size(); ++span) {
        sum.spans[span][kind] += series[i].spans[span][kind];
      }
    }
  }
  return sum;
}

std::string LabelHtml(const SeriesTable& table, const Series& series) {
  if (series.label.empty()) return "<i>" + std::string(table.unnamed) + "</i>";
  return "<code>" + Markup(series.label, 300) + "</code>";
}

// What the table has no room for, without bars.
std::string FoldedSeries(const SeriesTable& table, const std::vector<Series>& series,
                         const Tally& all) {
  const size_t end = std::min(series.size(), kMaxSeries + kMaxFolded);
  std::string out = "<details><summary>" + Grouped(series.size() - kMaxSeries) +
                    " others one by one</summary><div class=\"scroll\" role=\"region\" "
                    "aria-label=\"" +
                    std::string(table.caption) +
                    ", the others\" tabindex=\"0\">"
                    "<table class=\"numbers\"><caption>" +
                    std::string(table.caption) + ", the others</caption>" +
                    NumberHeadings(table.heading, all) + "<tbody>";
  for (size_t i = kMaxSeries; i < end; ++i) {
    out += "<tr><th scope=\"row\">" + LabelHtml(table, series[i]) + "</th>" +
           NumberCells(series[i].tally, all) + "</tr>";
  }
  if (end < series.size()) {
    out += "<tr><th scope=\"row\"><i>" + Counted(series.size() - end, "other") + "</i></th>" +
           NumberCells(SumOf(series, end).tally, all) + "</tr>";
  }
  return out + "</tbody></table></div></details>";
}

}  // namespace

std::string TimeChartHtml(const Statistics& statistics) {
  const TimeAxis& axis = statistics.axis;
  if (axis.spans == 0) return "";
  const std::string step = StepName(axis.step);
  std::string out = "<figure><figcaption>Decisions in each " + step + ", UTC. The largest has " +
                    Grouped(LargestSpan(statistics.all)) + ".";
  if (statistics.timeless != 0) {
    out += " " + Counted(statistics.timeless, "decision") + " without a time " +
           (statistics.timeless == 1 ? "is" : "are") + " left out.";
  }
  out += "</figcaption><div class=\"plot\">" +
         Svg("class=\"bars\" role=\"img\" aria-label=\"Decisions in each " + step + " from " +
                 SpanLabel(axis, 0) + " to " + SpanLabel(axis, axis.spans - 1) + ": " +
                 TallyWords(statistics.all.tally) + "\"",
             Columns(statistics.all) + Hints(statistics)) +
         "</div><p class=\"axis\"><span>" + SpanLabel(axis, 0) + "</span>";
  if (axis.spans > 6) out += "<span>" + SpanLabel(axis, axis.spans / 2) + "</span>";
  if (axis.spans > 1) out += "<span>" + SpanLabel(axis, axis.spans - 1) + "</span>";
  return out + "</p></figure>" + SpansTable(statistics);
}

std::string SeriesTableHtml(const SeriesTable& table, const std::vector<Series>& series,
                            const Statistics& statistics) {
  const std::string caption(table.caption);
  std::string out = "<div class=\"scroll\" role=\"region\" aria-label=\"" + caption +
                    "\" tabindex=\"0\"><table class=\"numbers\"><caption>" + caption +
                    "</caption>" + NumberHeadings(table.heading, statistics.all.tally) + "<tbody>";
  const size_t shown = std::min(series.size(), kMaxSeries);
  std::vector<std::pair<std::string, Series>> lines;
  for (size_t i = 0; i < shown; ++i) lines.emplace_back(LabelHtml(table, series[i]), series[i]);
  if (shown < series.size()) {
    lines.emplace_back("<i>" + Grouped(series.size() - shown) + " others</i>",
                       SumOf(series, shown));
  }
  size_t largest = 1;
  for (const auto& [label, line] : lines) largest = std::max(largest, TotalOf(line.tally));
  for (const auto& [label, line] : lines) {
    out += SeriesLine(label, line, {statistics, largest});
  }
  out += "</tbody></table></div>";
  return series.size() > kMaxSeries ? out + FoldedSeries(table, series, statistics.all.tally) : out;
}

}  // namespace ringfence
