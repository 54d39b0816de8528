#include "cli/stage/review_diff.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/markup.h"
#include "cli/stage/diff_lines.h"

namespace ringfence {
namespace {

// Tabs stay, since the page keeps white space.
std::string MarkupWithTabs(std::string_view line) {
  std::string html;
  for (;;) {
    const size_t tab = line.find('\t');
    html += Markup(line.substr(0, tab));
    if (tab == line.npos) return html;
    html += '\t';
    line.remove_prefix(tab + 1);
  }
}

std::string LineHtml(std::string_view text, size_t most) {
  if (text.size() <= most) return MarkupWithTabs(text);
  return MarkupWithTabs(CutText(std::string(text), most)) + " <i>" + Grouped(text.size() - most) +
         " more bytes</i>";
}

std::string NumberAttribute(const char* name, size_t number) {
  return number == 0 ? "" : std::string(" ") + name + "=\"" + std::to_string(number) + "\"";
}

struct LineStyle {
  std::string_view name;
  char sign;
};

LineStyle StyleOf(DiffLine::Kind kind) {
  using enum DiffLine::Kind;
  switch (kind) {
    case kHunk:
      return {"hunk", '\0'};
    case kContext:
      return {"same", ' '};
    case kRemoved:
      return {"del", '-'};
    case kAdded:
      return {"add", '+'};
    case kNote:
      return {"mark", '\\'};
  }
  return {"same", ' '};
}

std::string DiffLineHtml(const DiffLine& line, size_t most) {
  const LineStyle style = StyleOf(line.kind);
  std::string html = "<span class=\"" + std::string(style.name) + "\"" +
                     NumberAttribute("data-old", line.old_number) +
                     NumberAttribute("data-new", line.new_number) + ">";
  if (style.sign != '\0') html += style.sign;
  return html + LineHtml(line.text, most) + "\n</span>";
}

}  // namespace

ShownDiff ShowDiffLines(std::string_view diff, const DiffLimits& limits) {
  ShownDiff shown;
  for (const DiffLine& line : DiffLines(diff)) {
    if (line.kind == DiffLine::Kind::kAdded) ++shown.counts.added;
    if (line.kind == DiffLine::Kind::kRemoved) ++shown.counts.removed;
    if (shown.is_cut) continue;
    const std::string html = DiffLineHtml(line, limits.line_bytes);
    shown.is_cut = shown.html.size() + html.size() > limits.bytes;
    if (!shown.is_cut) shown.html += html;
  }
  if (!shown.html.empty()) shown.html = "<pre class=\"diff\">" + shown.html + "</pre>\n";
  return shown;
}

ShownDiff ShowTextLines(std::string_view text, const DiffLimits& limits) {
  ShownDiff shown;
  for (size_t number = 1; !text.empty() && !shown.is_cut; ++number) {
    const DiffLine line{.old_number = number, .text = TakeUntil(text, '\n')};
    const std::string html = DiffLineHtml(line, limits.line_bytes);
    shown.is_cut = shown.html.size() + html.size() > limits.bytes;
    if (!shown.is_cut) shown.html += html;
  }
  if (!shown.html.empty()) shown.html = "<pre class=\"diff\">" + shown.html + "</pre>\n";
  return shown;
}

}  // namespace ringfence
