#include "cli/stage/review_tree.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/markup.h"
#include "cli/stage/preview.h"
#include "files/beneath.h"

namespace ringfence {
namespace {

bool IsFolder(const Change& change) {
  return (change.is_removed() ? change.before : change.after).is_directory();
}

std::string Badge(std::string_view kind, std::string_view word) {
  return " <span class=\"badge " + std::string(kind) + "\">" + std::string(word) + "</span>";
}

std::string KindBadge(const Change& change) {
  if (!change.moved_from.empty()) return Badge("moved", "moved");
  if (change.is_added()) return Badge("added", "added");
  if (change.is_removed()) return Badge("removed", "deleted");
  if (change.is_attributes_only()) return Badge("changed", "attributes");
  return change.is_mode_only() ? Badge("changed", "mode") : Badge("changed", "changed");
}

std::string ActionBadge(const PlannedChange& planned) {
  switch (planned.action) {
    case ChangeAction::kApply:
      return "";
    case ChangeAction::kMerge:
      return Badge("merged", "merged with your changes");
    case ChangeAction::kConflict:
      return Badge("stays", "conflict");
    case ChangeAction::kHold:
      return Badge("stays", "held back");
    case ChangeAction::kSkip:
      return Badge("stays", "not applied");
  }
  return "";
}

std::string CountsText(const LineCounts& lines) {
  std::string text;
  if (lines.added > 0) text = "+" + Grouped(lines.added);
  if (lines.removed > 0) text += (text.empty() ? "-" : " -") + Grouped(lines.removed);
  return text;
}

std::string CountsHtml(const std::string& text) {
  return text.empty() ? "" : " <span class=\"counts\">" + Markup(text) + "</span>";
}

std::string OfExisting(size_t count) {
  return count == 0 ? "" : ", " + Grouped(count) + " of them to what the project has";
}

}  // namespace

ReviewTree::ReviewTree(std::vector<ListedChange> listed) : listed_(std::move(listed)) {
  for (size_t i = 0; i < listed_.size(); ++i) {
    const ListedChange& one = listed_[i];
    const Change& change = one.planned->change;
    if (IsFolder(change)) own_[change.path] = one.planned;
    if (IsImplied(i)) continue;
    for (std::string_view folder = FolderOf(change.path); !folder.empty();
         folder = FolderOf(folder)) {
      FolderCounts& counts = folders_[std::string(folder)];
      ++counts.entries;
      if (RankOf(change) != PreviewLine::Rank::kNew) ++counts.existing;
      counts.lines.added += one.counts.added;
      counts.lines.removed += one.counts.removed;
    }
  }
}

// True for a directory that is only listed for its contents.
bool ReviewTree::IsImplied(size_t i) const {
  const Change& change = listed_[i].planned->change;
  const bool is_own = !change.moved_from.empty() || (!change.is_added() && !change.is_removed());
  return IsFolder(change) && !is_own && i + 1 < listed_.size() &&
         listed_[i + 1].planned->change.path.starts_with(change.path + "/");
}

std::string ReviewTree::Html() {
  html_ = "<ul class=\"tree\">\n";
  size_t left_out = 0;
  size_t existing = 0;
  for (size_t i = 0; i < listed_.size(); ++i) {
    if (IsImplied(i)) continue;
    if (listed_[i].is_left_out) {
      ++left_out;
      if (RankOf(listed_[i].planned->change) != PreviewLine::Rank::kNew) ++existing;
      continue;
    }
    Enter(FolderOf(listed_[i].planned->change.path));
    AddChange(listed_[i]);
  }
  LeaveFor("");
  if (left_out > 0) {
    html_ += "<li class=\"note\">" + Markup(Counted(left_out, "more change")) + " not listed here" +
             OfExisting(existing) + "</li>\n";
  }
  return std::move(html_) + "</ul>\n";
}

// Directories that hold nothing but one other directory are shown as one.
void ReviewTree::Enter(std::string_view folder) {
  LeaveFor(folder);
  size_t begin = open_.empty() ? 0 : open_.back().size() + 1;
  while (begin < folder.size()) {
    size_t end = std::min(folder.find('/', begin), folder.size());
    while (end < folder.size()) {
      const size_t next = std::min(folder.find('/', end + 1), folder.size());
      const FolderCounts& outer = folders_.find(folder.substr(0, end))->second;
      if (folders_.find(folder.substr(0, next))->second.entries < outer.entries) break;
      end = next;
    }
    OpenFolder(std::string(folder.substr(0, end)), folder.substr(begin, end - begin));
    begin = end + 1;
  }
}

// Closes the directories that do not hold `folder`.
void ReviewTree::LeaveFor(std::string_view folder) {
  const auto holds = [folder](const std::string& open) {
    return folder == open || (folder.starts_with(open) && folder[open.size()] == '/');
  };
  for (; !open_.empty() && !holds(open_.back()); open_.pop_back()) {
    html_ += "</ul></details></li>\n";
  }
}

void ReviewTree::OpenFolder(const std::string& folder, std::string_view label) {
  const FolderCounts& counts = folders_.find(folder)->second;
  const bool is_large = counts.entries >= kManyChanges;
  const auto own = own_.find(folder);
  html_ +=
      is_large ? "<li><details class=\"folder piece\">" : "<li><details class=\"folder\" open>";
  html_ += "<summary><code>" + Markup(PrintableName(label)) + "/</code>";
  if (own != own_.end()) html_ += KindBadge(own->second->change) + ActionBadge(*own->second);
  const std::string lines = CountsText(counts.lines);
  const bool is_mixed = counts.existing > 0 && counts.existing < counts.entries;
  const std::string existing = is_large && is_mixed ? OfExisting(counts.existing) : "";
  html_ += CountsHtml(Counted(counts.entries, "change") + existing + (lines.empty() ? "" : ", ") +
                      lines) +
           "</summary>\n<ul>\n";
  open_.push_back(folder);
}

void ReviewTree::AddChange(const ListedChange& listed) {
  const Change& change = listed.planned->change;
  std::string counts = CountsText(listed.counts);
  if (!listed.what.empty()) counts += (counts.empty() ? "" : ", ") + listed.what;
  const std::string line = "<code>" + Markup(PrintableName(NameOf(change.path))) +
                           (IsFolder(change) ? "/" : "") + "</code>" + KindBadge(change) +
                           ActionBadge(*listed.planned) + CountsHtml(counts);
  if (listed.html.empty()) {
    html_ += "<li class=\"file\">" + line + "</li>\n";
    return;
  }
  html_ += "<li><details class=\"file\"" + std::string(listed.is_open ? " open" : "") +
           "><summary>" + line + "</summary>\n" + listed.html + "</details></li>\n";
}

}  // namespace ringfence
