#include "cli/stage/preview.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/common/console.h"
#include "cli/stage/describe_change.h"
#include "files/beneath.h"

namespace ringfence {
namespace {

using Rank = PreviewLine::Rank;

const Entry& KnownSide(const Change& change) {
  return change.is_removed() ? change.before : change.after;
}

// The changes in a directory, by kind.
class FoldedCounts {
 public:
  void Add(const Change& change) {
    const Entry& known = KnownSide(change);
    const bool is_one_sided = change.is_added() || change.is_removed();
    if (known.is_directory() && is_one_sided && change.moved_from.empty()) return;
    ++all_;
    ++counts_[KindOf(change)];
  }

  size_t all() const { return all_; }

  // "+142 files, 3 changed, 1 mode"
  std::string text() const {
    std::string text;
    const auto part = [&](Kind kind, const char* sign, const std::string& words) {
      if (counts_[kind] > 0) text += (text.empty() ? "" : ", ") + (sign + words);
    };
    part(kAddedFile, "+", Counted(counts_[kAddedFile], "file"));
    part(kAddedLink, "+", Counted(counts_[kAddedLink], "link"));
    part(kRemovedFile, "-", Counted(counts_[kRemovedFile], "file"));
    part(kRemovedLink, "-", Counted(counts_[kRemovedLink], "link"));
    part(kMoved, "", Grouped(counts_[kMoved]) + " moved");
    part(kChanged, "", Grouped(counts_[kChanged]) + " changed");
    part(kMode, "", Grouped(counts_[kMode]) + " mode");
    part(kAttributes, "", Grouped(counts_[kAttributes]) + " attributes");
    return text;
  }

 private:
  enum Kind : unsigned char {
    kAddedFile,
    kAddedLink,
    kRemovedFile,
    kRemovedLink,
    kMoved,
    kChanged,
    kMode,
    kAttributes,
    kKinds
  };

  static Kind KindOf(const Change& change) {
    if (!change.moved_from.empty()) return kMoved;
    const bool is_link = KnownSide(change).is_link();
    if (change.is_added()) return is_link ? kAddedLink : kAddedFile;
    if (change.is_removed()) return is_link ? kRemovedLink : kRemovedFile;
    if (change.is_mode_only()) return kMode;
    return change.is_attributes_only() ? kAttributes : kChanged;
  }

  std::array<size_t, kKinds> counts_{};
  size_t all_ = 0;
};

using CountsByFolder = std::map<std::string, FoldedCounts, std::less<>>;

// The outermost directories with many changes, and those of new repositories; never the project
// itself.
CountsByFolder CollapsedFolders(const ChangeList& changes) {
  CountsByFolder folders;
  for (const Change& change : changes) {
    for (std::string_view folder = FolderOf(change.path); !folder.empty();
         folder = FolderOf(folder)) {
      folders[std::string(folder)].Add(change);
    }
  }
  // A new repository is one thing.
  std::erase_if(folders, [](const auto& folder) {
    return folder.second.all() < kManyChanges && NameOf(folder.first) != ".git";
  });
  std::set<std::string, std::less<>> inner;
  for (const auto& [path, counts] : folders) {
    std::string_view outer = FolderOf(path);
    while (!outer.empty() && !folders.contains(outer)) outer = FolderOf(outer);
    if (!outer.empty()) inner.insert(path);
  }
  std::erase_if(folders, [&inner](const auto& folder) { return inner.contains(folder.first); });
  return folders;
}

// The changes that users see as files.
ChangeList VisibleChanges(const MergePlan& plan) {
  ChangeList changes;
  for (const PlannedChange& planned : plan.changes) {
    if (!planned.is_gits) changes.push_back(planned.change);
  }
  return changes;
}

class PreviewMaker {
 public:
  PreviewMaker(const Stage& stage, ChangeList changes)
      : stage_(stage), changes_(std::move(changes)) {
    const std::vector<bool> is_left_out = ShownElsewhere(changes_);
    size_t i = 0;
    std::erase_if(changes_, [&](const Change&) { return is_left_out[i++]; });
    collapsed_ = CollapsedFolders(changes_);
  }

  std::vector<PreviewLine> Make() {
    for (size_t i = 0; i < changes_.size(); ++i) Add(i);
    return std::move(lines_);
  }

 private:
  void Add(size_t i) {
    const Change& change = changes_[i];
    std::string_view folder = FolderOf(change.path);
    while (!folder.empty() && !collapsed_.contains(folder)) folder = FolderOf(folder);
    if (!folder.empty()) return AddInside(i, folder);
    if (!IsImplied(i)) AddOne(i, false);
  }

  void AddInside(size_t i, std::string_view folder) {
    const FoldedCounts& counts = collapsed_.find(folder)->second;
    if (folder != last_) {
      lines_.push_back(
          {.path = std::string(folder) + "/", .what = counts.text(), .rank = Rank::kNotable});
    }
    last_ = folder;
    if (RankOf(changes_[i]) != Rank::kNew && !IsImplied(i)) AddOne(i, true);
  }

  // A directory is implied by what is listed in it, unless it is a change of its own.
  bool IsImplied(size_t i) const {
    const Change& change = changes_[i];
    if (!KnownSide(change).is_directory() || !change.moved_from.empty()) return false;
    if (!change.is_added() && !change.is_removed()) return false;
    return i + 1 < changes_.size() && changes_[i + 1].path.starts_with(change.path + "/");
  }

  void AddOne(size_t i, bool is_inside) {
    const Change& change = changes_[i];
    lines_.push_back({.path = change.path + (KnownSide(change).is_directory() ? "/" : ""),
                      .what = DescribeChange(stage_, change),
                      .is_inside = is_inside,
                      .rank = RankOf(change)});
  }

  const Stage& stage_;
  ChangeList changes_;
  CountsByFolder collapsed_;
  std::string_view last_;
  std::vector<PreviewLine> lines_;
};

std::string LineText(const PreviewLine& line) {
  return (line.is_inside ? "    " : "  ") + ShownPath(line.path) + " (" + Printable(line.what) +
         ")\n";
}

}  // namespace

bool IsNotable(const Change& change) {
  const Entry& earlier = change.earlier();
  const Entry& after = change.after;
  if (!after.exists()) return false;
  if (!earlier.exists()) return IsOpenToAll(after);
  if (earlier.kind != after.kind || change.is_too_deep) return true;
  if (after.is_link()) return earlier.target != after.target;
  constexpr uint32_t kRun = 0111;
  constexpr uint32_t kOthersWrite = 0022;
  constexpr uint32_t kAsOwner = 06000;
  const uint32_t given = after.mode & ~earlier.mode;
  return (given & (kRun | kOthersWrite | kAsOwner)) != 0 || !change.other_attributes().empty();
}

PreviewLine::Rank RankOf(const Change& change) {
  if (IsNotable(change)) return Rank::kNotable;
  return change.is_added() && change.moved_from.empty() ? Rank::kNew : Rank::kExisting;
}

std::vector<bool> ShownElsewhere(const ChangeList& changes) {
  std::set<std::string_view> sources;
  std::set<std::string_view> folders;
  for (const Change& change : changes) {
    if (change.moved_from.empty()) continue;
    sources.insert(change.moved_from);
    if (!change.after.is_directory()) continue;
    folders.insert(change.moved_from);
    folders.insert(change.path);
  }
  const auto is_in_moved = [&folders](std::string_view path) {
    do path = FolderOf(path);
    while (!path.empty() && !folders.contains(path));
    return !path.empty();
  };
  std::vector<bool> is_elsewhere;
  for (const Change& change : changes) {
    const bool is_source = change.is_removed() && sources.contains(change.path);
    const bool has_own = change.has_other_mode() || !change.other_attributes().empty();
    is_elsewhere.push_back(is_source || (is_in_moved(change.path) && !has_own));
  }
  return is_elsewhere;
}

std::string DescribeBranch(const StagedBranch& branch) {
  return "new commits on " + branch.name + ", as branch " + branch.becomes;
}

std::vector<PreviewLine> MakePreview(const Stage& stage, const StagePlan& plan) {
  std::vector<PreviewLine> lines = PreviewMaker(stage, VisibleChanges(plan.merge)).Make();
  for (const StagedBranch& branch : plan.branches) {
    lines.push_back(
        {.path = branch.repository + "/", .what = DescribeBranch(branch), .rank = Rank::kNotable});
  }
  return lines;
}

std::string PreviewText(const std::vector<PreviewLine>& lines) {
  std::string text;
  for (const PreviewLine& line : lines) text += LineText(line);
  return text;
}

std::string ShortPreviewText(const std::vector<PreviewLine>& lines, const std::string& stage,
                             size_t most) {
  if (lines.size() <= most) return PreviewText(lines);
  std::vector<size_t> kept(lines.size());
  for (size_t i = 0; i < kept.size(); ++i) kept[i] = i;
  std::ranges::stable_sort(kept, {}, [&lines](size_t i) { return lines[i].rank; });
  const std::vector<size_t> rest(kept.begin() + static_cast<ptrdiff_t>(most), kept.end());
  kept.resize(most);
  std::ranges::sort(kept);
  std::string text;
  for (const size_t i : kept) text += LineText(lines[i]);
  const auto added = static_cast<size_t>(
      std::ranges::count(rest, Rank::kNew, [&lines](size_t i) { return lines[i].rank; }));
  const size_t others = rest.size() - added;
  text += "  " + Grouped(rest.size()) + " more lines";
  if (others > 0) text += ", " + Grouped(others) + " of them about what the project has";
  return text + "; to see them: ringfence stage diff --stat " + stage + "\n";
}

}  // namespace ringfence
