#include "cli/stage/review_page.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/markup.h"
#include "cli/common/page.h"
#include "cli/stage/describe_change.h"
#include "cli/stage/preview.h"
#include "cli/stage/review_diff.h"
#include "cli/stage/review_template.h"
#include "cli/stage/review_tree.h"
#include "files/beneath.h"
#include "policy/evaluate/fix.h"

namespace ringfence {
namespace {

constexpr size_t kMostNamed = 500;      // paths in a list of those that stay
constexpr size_t kMostValue = 2000;     // bytes of a fact
constexpr size_t kMostOpen = 20;        // changes and
constexpr size_t kMostOpenLines = 400;  // lines that are shown without a click

std::string Code(std::string_view text) {
  return "<code>" + Markup(PrintableName(text)) + "</code>";
}

std::string SectionHtml(std::string_view id, std::string_view title, const std::string& content) {
  return "<section aria-labelledby=\"" + std::string(id) + "\">\n<h2 id=\"" + std::string(id) +
         "\" tabindex=\"-1\">" + std::string(title) + "</h2>\n" + content + "</section>\n";
}

// Git's own files are shown as branches, unless the policy holds them back.
bool IsShown(const PlannedChange& planned) {
  return !planned.is_gits || planned.action == ChangeAction::kHold;
}

size_t CountShown(const MergePlan& plan, ChangeAction action) {
  return static_cast<size_t>(std::ranges::count_if(plan.changes, [action](const auto& planned) {
    return planned.action == action && IsShown(planned);
  }));
}

// For each change, true if it is in a directory that the page does not open.
std::vector<bool> InLargeFolder(const std::vector<ListedChange>& listed) {
  std::map<std::string_view, size_t> counts;
  for (const ListedChange& one : listed) {
    for (std::string_view folder = FolderOf(one.planned->change.path); !folder.empty();
         folder = FolderOf(folder)) {
      ++counts[folder];
    }
  }
  std::vector<bool> is_inside;
  for (const ListedChange& one : listed) {
    std::string_view folder = FolderOf(one.planned->change.path);
    while (!folder.empty() && counts[folder] < kManyChanges) folder = FolderOf(folder);
    is_inside.push_back(!folder.empty());
  }
  return is_inside;
}

// Leaves out all but `most` changes: first those about new files.
void LeaveOut(std::vector<ListedChange>& listed, size_t most) {
  if (listed.size() <= most) return;
  std::vector<ListedChange*> ranked;
  ranked.reserve(listed.size());
  for (ListedChange& one : listed) ranked.push_back(&one);
  std::ranges::stable_sort(ranked, {},
                           [](const ListedChange* one) { return RankOf(one->planned->change); });
  for (size_t i = most; i < ranked.size(); ++i) ranked[i]->is_left_out = true;
}

class ReviewMaker {
 public:
  ReviewMaker(const Review& review, const ReviewLimits& limits)
      : review_(review), limits_(limits), left_(limits.page_bytes) {}

  std::string Make() {
    std::string main = Conflicts();
    main += Stays("held", "Held back by the policy", ChangeAction::kHold);
    main += Stays("never", "Not applied", ChangeAction::kSkip);
    main += Branches();
    main += Changes();
    return Page({.command = "stage review",
                 .title = Markup(Answer()),
                 .tone = Tone(),
                 .css = kReviewCss,
                 .head = Head(),
                 .main = std::move(main)});
  }

 private:
  size_t Count(ChangeAction action) const { return CountShown(review_.plan.merge, action); }
  size_t done() const { return Count(ChangeAction::kApply) + Count(ChangeAction::kMerge); }

  std::string Answer() const {
    const size_t conflicts = Count(ChangeAction::kConflict);
    if (!review_.is_final) return Counted(done(), "change") + " so far";
    if (conflicts > 0) {
      return "Not to be applied before you decide about " + Counted(conflicts, "conflict");
    }
    const size_t held = Count(ChangeAction::kHold);
    const std::string rest = held == 0 ? "" : ", " + Grouped(held) + " held back";
    if (done() == 0) return "Nothing to apply" + rest;
    return Counted(done(), "change") + " to apply" + rest;
  }

  std::string_view Tone() const {
    if (Count(ChangeAction::kConflict) > 0) return "bad";
    return review_.is_final && done() > 0 && Count(ChangeAction::kHold) == 0 ? "good" : "none";
  }

  std::string Head() {
    std::string facts;
    for (const auto& [name, value] : review_.facts) {
      facts += "<div><dt>" + Markup(name) + "</dt><dd>" + Code(CutText(value, kMostValue)) +
               "</dd></div>\n";
    }
    const std::string note =
        review_.is_final ? ""
                         : "<p class=\"lede\">The command still runs. What applying its changes "
                           "does is known when it has ended.</p>\n";
    return note + "<dl class=\"facts\">\n" + facts + "</dl>\n" + Figures() + Contents();
  }

  std::string Figures() const {
    std::string html = "<dl class=\"figures\">\n";
    const auto figure = [&html](std::string_view name, size_t count, bool is_bad = false) {
      if (count == 0) return;
      html += std::string("<div") + (is_bad ? " class=\"bad\"" : "") + "><dt>" + std::string(name) +
              "</dt><dd>" + Grouped(count) + "</dd></div>\n";
    };
    figure("as in the stage", Count(ChangeAction::kApply));
    figure("merged", Count(ChangeAction::kMerge));
    figure("conflicts", Count(ChangeAction::kConflict), true);
    figure("held back", Count(ChangeAction::kHold));
    figure("not applied", Count(ChangeAction::kSkip));
    figure("branches", review_.plan.branches.size());
    figure("lines added", lines_.added);
    figure("lines removed", lines_.removed);
    return html + "</dl>\n";
  }

  std::string Contents() const {
    std::string links;
    const auto link = [&links](bool is_there, std::string_view id, std::string_view title) {
      if (!is_there) return;
      links += "<li><a href=\"#" + std::string(id) + "\">" + std::string(title) + "</a></li>\n";
    };
    link(Count(ChangeAction::kConflict) > 0, "conflicts", "Conflicts");
    link(Count(ChangeAction::kHold) > 0, "held", "Held back");
    link(Count(ChangeAction::kSkip) > 0, "never", "Not applied");
    link(!review_.plan.branches.empty(), "branches", "Branches");
    link(true, "changes", "Changes");
    return "<nav aria-label=\"Contents\"><ul>\n" + links + "</ul></nav>\n";
  }

  // How to see what the page leaves out.
  std::string RestNote(std::string_view what, std::string_view path) const {
    return "<p class=\"note cut\">" + std::string(what) +
           " To see it: " + Code("ringfence stage diff " + review_.id + " " + ShellWord(path)) +
           "</p>\n";
  }

  // Takes the space of a diff from that of the page.
  std::string Within(const ShownDiff& shown, std::string_view path) {
    if (shown.html.size() > left_) {
      return RestNote("This diff is left out, because the page would be too large.", path);
    }
    left_ -= shown.html.size();
    return shown.is_cut ? shown.html + RestNote("The rest of this diff is left out.", path)
                        : shown.html;
  }

  DiffLimits diff_limits() const {
    return {.bytes = limits_.diff_bytes, .line_bytes = limits_.line_bytes};
  }

  std::string Conflicts() {
    std::string html;
    for (const PlannedChange& planned : review_.plan.merge.changes) {
      if (planned.action == ChangeAction::kConflict) html += Conflict(planned);
    }
    if (html.empty()) return "";
    return SectionHtml("conflicts", "Conflicts",
                       "<p>Applying the stage asks about each of them: " +
                           Code("ringfence stage apply " + review_.id) + "</p>\n" + html);
  }

  std::string Conflict(const PlannedChange& planned) {
    const std::string& path = planned.change.path;
    const ConflictSides sides = review_.sides(planned);
    const auto part = [&](std::string_view title, const std::string& diff) {
      const ShownDiff shown = ShowDiffLines(diff, diff_limits());
      return shown.html.empty() ? ""
                                : "<h4>" + std::string(title) + "</h4>\n" + Within(shown, path);
    };
    std::string html = "<article>\n<h3>" + Code(path) + "</h3>\n<p>" + Markup(planned.why) + " (" +
                       Markup(review_.describe(planned)) + ")</p>\n";
    if (!sides.base) {
      html += part("From the project's version to the stage's", sides.staged);
      return html + "</article>\n";
    }
    html += part("Changed by the stage", sides.staged);
    html += part("Changed in the project meanwhile", sides.mine);
    html += "<details><summary>The version before both</summary>\n" +
            Within(ShowTextLines(*sides.base, diff_limits()), path) + "</details>\n";
    return html + "</article>\n";
  }

  // The changes with this action, each with its reason.
  std::string Stays(std::string_view id, std::string_view title, ChangeAction action) const {
    std::string items;
    size_t count = 0;
    for (const PlannedChange& planned : review_.plan.merge.changes) {
      if (planned.action != action || !IsShown(planned) || ++count > kMostNamed) continue;
      items += "<li>" + Code(planned.change.path) + " <span class=\"why\">" + Markup(planned.why) +
               "</span></li>\n";
    }
    if (count > kMostNamed) {
      items += "<li class=\"note\">" + Grouped(count - kMostNamed) + " more</li>\n";
    }
    return count == 0 ? "" : SectionHtml(id, title, "<ul class=\"stays\">\n" + items + "</ul>\n");
  }

  std::string Branches() const {
    std::string items;
    for (const StagedBranch& branch : review_.plan.branches) {
      items += "<li>The commits on " + Code(branch.name) + " become the new branch " +
               Code(branch.becomes) + ", at " + Code(branch.commit.substr(0, 12)) + " in " +
               Code(branch.repository) + "</li>\n";
    }
    if (items.empty()) return "";
    return SectionHtml("branches", "Branches", "<ul>\n" + items + "</ul>\n");
  }

  std::vector<ListedChange> Listed() const {
    ChangeList changes;
    std::vector<const PlannedChange*> planned;
    for (const PlannedChange& one : review_.plan.merge.changes) {
      if (one.is_gits) continue;
      planned.push_back(&one);
      changes.push_back(one.change);
    }
    const std::vector<bool> is_elsewhere = ShownElsewhere(changes);
    std::vector<ListedChange> listed;
    for (size_t i = 0; i < planned.size(); ++i) {
      if (!is_elsewhere[i]) listed.push_back({.planned = planned[i]});
    }
    return listed;
  }

  std::string Changes() {
    std::vector<ListedChange> listed = Listed();
    if (listed.empty()) return SectionHtml("changes", "Changes", "<p>There are no changes.</p>\n");
    LeaveOut(listed, limits_.listed);
    // What is not hidden in a large directory comes first when the page gets too large.
    const std::vector<bool> is_hidden = InLargeFolder(listed);
    for (const bool hidden : {false, true}) {
      for (size_t i = 0; i < listed.size(); ++i) {
        if (is_hidden[i] == hidden && !listed[i].is_left_out) Describe(listed[i]);
      }
    }
    for (const ListedChange& one : listed) {
      lines_.added += one.counts.added;
      lines_.removed += one.counts.removed;
    }
    const bool is_short =
        listed.size() <= kMostOpen && lines_.added + lines_.removed <= kMostOpenLines;
    for (ListedChange& one : listed) one.is_open = is_short;
    return SectionHtml("changes", "Changes", ReviewTree(std::move(listed)).Html());
  }

  void Describe(ListedChange& listed) {
    const PlannedChange& planned = *listed.planned;
    const bool is_conflict = planned.action == ChangeAction::kConflict;
    if (left_ > 0 && !is_conflict) {
      const ShownDiff shown = ShowDiffLines(review_.diff(planned), diff_limits());
      listed.counts = shown.counts;
      if (!shown.html.empty()) listed.html = Within(shown, planned.change.path);
    }
    const bool has_counts = listed.counts.added + listed.counts.removed > 0;
    const bool is_said = has_counts && !planned.change.after.is_link();
    listed.what = is_said ? DescribeFacts(planned.change) : review_.describe(planned);
    if (planned.why.empty()) return;
    if (is_conflict) listed.html = "<p><a href=\"#conflicts\">Both versions</a></p>\n";
    listed.html = "<p class=\"why\">" + Markup(planned.why) + "</p>\n" + listed.html;
  }

  const Review& review_;
  const ReviewLimits& limits_;
  size_t left_;       // for diffs, of page_bytes
  LineCounts lines_;  // of all diffs in the tree
};

}  // namespace

std::string ReviewHtml(const Review& review, const ReviewLimits& limits) {
  return ReviewMaker(review, limits).Make();
}

}  // namespace ringfence
