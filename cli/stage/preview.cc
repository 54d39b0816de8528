#include "cli/stage/preview.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "cli/common/console.h"
#include "files/beneath.h"
#include "staging/text_diff.h"

namespace ringfence {
namespace {

std::string ModeText(uint32_t mode) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "%o", mode);
  return text.data();
}

std::string_view KindText(EntryKind kind) {
  switch (kind) {
    case EntryKind::kNone:
      return "nothing";
    case EntryKind::kFile:
      return "file";
    case EntryKind::kDirectory:
      return "directory";
    case EntryKind::kLink:
      return "link";
    case EntryKind::kSpecial:
      return "FIFO, socket or device";
  }
  return "";
}

// The text of a file that can be compared by lines; nothing for other entries.
std::optional<std::string> ComparedText(const Entry& entry,
                                        Result<std::string> (*read)(const Stage&,
                                                                    const std::string&),
                                        const Stage& stage, const std::string& path) {
  if (!entry.exists()) return std::string();
  if (!entry.is_file() || entry.size > kMaxDiffed) return {};
  Result<std::string> bytes = read(stage, path);
  if (!bytes || IsBinary(*bytes)) return {};
  return std::move(*bytes);
}

Result<std::string> ReadInStage(const Stage& stage, const std::string& path) {
  return stage.StagedBytes(path, kMaxDiffed);
}

Result<std::string> ReadInProject(const Stage& stage, const std::string& path) {
  return stage.ProjectBytes(path, kMaxDiffed);
}

std::string LinesText(const LineCounts& counts) {
  std::string text;
  if (counts.added > 0) text = "+" + Counted(counts.added, "line");
  if (counts.removed > 0) {
    text += (text.empty() ? "-" : ", -") + Counted(counts.removed, "line");
  }
  return text;
}

std::string DescribeFile(const Stage& stage, const Change& change) {
  const std::optional<std::string> before =
      ComparedText(change.before, ReadInProject, stage, change.path);
  const std::optional<std::string> after =
      ComparedText(change.after, ReadInStage, stage, change.path);
  if (before && after) {
    const Result<LineCounts> counts = CountLines(*before, *after);
    return counts ? LinesText(*counts) : counts.error().text();
  }
  std::string sizes;
  if (change.before.exists()) sizes = SizeText(change.before.size);
  if (change.before.exists() && change.after.exists()) sizes += " -> ";
  if (change.after.exists()) sizes += SizeText(change.after.size);
  return "binary, " + sizes;
}

std::string DescribeContents(const Stage& stage, const Change& change) {
  const Entry& before = change.before;
  const Entry& after = change.after;
  const Entry& known = after.exists() ? after : before;
  if (before.exists() && after.exists() && before.kind != after.kind) {
    return std::string(KindText(before.kind)) + " -> " + std::string(KindText(after.kind));
  }
  if (after.is_link()) return "link to " + Quote(after.target);
  if (known.is_directory()) return "directory";
  if (!known.is_file()) return std::string(KindText(known.kind));
  return change.is_same_content ? "" : DescribeFile(stage, change);
}

// How many changes of each kind a directory has.
struct Counts {
  size_t added = 0, removed = 0, changed = 0;

  void Add(const Change& change) {
    const Entry& known = change.is_removed() ? change.before : change.after;
    if (known.is_directory()) return;
    ++(change.is_added() ? added : change.is_removed() ? removed : changed);
  }
  size_t all() const { return added + removed + changed; }
  std::string text() const {
    std::string text;
    const auto part = [&text](const char* sign, size_t number, const char* what) {
      if (number == 0) return;
      text += (text.empty() ? "" : ", ") + std::string(sign) + Counted(number, "file") + what;
    };
    part("+", added, "");
    part("-", removed, "");
    part("", changed, " changed");
    return text;
  }
};

// The outermost directories with many changes; never the project itself.
std::map<std::string, Counts, std::less<>> CollapsedFolders(const ChangeList& changes) {
  std::map<std::string, Counts, std::less<>> folders;
  for (const Change& change : changes) {
    for (std::string_view folder = FolderOf(change.path); !folder.empty();
         folder = FolderOf(folder)) {
      folders[std::string(folder)].Add(change);
    }
  }
  std::erase_if(folders, [](const auto& folder) { return folder.second.all() < kManyChanges; });
  std::erase_if(folders, [&folders](const auto& folder) {
    std::string_view outer = FolderOf(folder.first);
    while (!outer.empty() && !folders.contains(outer)) outer = FolderOf(outer);
    return !outer.empty();
  });
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
    std::string_view folder = change.path;
    while (!folder.empty() && !collapsed_.contains(folder)) folder = FolderOf(folder);
    if (!folder.empty()) {
      if (folder != last_) {
        lines_.push_back({std::string(folder) + "/", collapsed_.find(folder)->second.text()});
      }
      last_ = folder;
      return;
    }
    const bool is_folder = (change.is_removed() ? change.before : change.after).is_directory();
    // A new directory is implied by its files.
    const bool has_files =
        is_folder && i + 1 < changes_.size() && changes_[i + 1].path.starts_with(change.path + "/");
    const bool is_own = change.is_mode_only() || change.before.is_file();
    if (has_files && !is_own) return;
    lines_.push_back({change.path + (is_folder ? "/" : ""), DescribeChange(stage_, change)});
  }

  const Stage& stage_;
  ChangeList changes_;
  std::map<std::string, Counts, std::less<>> collapsed_;
  std::string_view last_;
  std::vector<PreviewLine> lines_;
};

}  // namespace

std::vector<bool> ShownElsewhere(const ChangeList& changes) {
  std::set<std::string_view> sources;
  std::vector<std::string> folders;
  for (const Change& change : changes) {
    if (change.moved_from.empty()) continue;
    sources.insert(change.moved_from);
    if (!change.after.is_directory()) continue;
    folders.push_back(change.moved_from + "/");
    folders.push_back(change.path + "/");
  }
  std::vector<bool> is_elsewhere;
  for (const Change& change : changes) {
    const auto holds = [&](const std::string& folder) { return change.path.starts_with(folder); };
    is_elsewhere.push_back((change.is_removed() && sources.contains(change.path)) ||
                           std::ranges::any_of(folders, holds));
  }
  return is_elsewhere;
}

std::string PathLine(std::string_view path) {
  std::string quoted = Quote(path, kMaxShownPath);
  const bool is_plain = quoted.size() == path.size() + 2 && quoted.find(path) != quoted.npos;
  return is_plain ? std::string(path) : quoted;
}

std::string ShownPath(std::string_view path) {
  return path.find(' ') == path.npos ? PathLine(path) : Quote(path, kMaxShownPath);
}

std::string DescribeMode(const Change& change) {
  const bool has_both = change.before.exists() && change.after.exists();
  if (!has_both || change.before.kind != change.after.kind || change.after.is_link() ||
      change.before.mode == change.after.mode) {
    return "";
  }
  return "mode " + ModeText(change.before.mode) + " -> " + ModeText(change.after.mode);
}

std::string DescribeChange(const Stage& stage, const Change& change) {
  std::string text = change.is_removed() ? "deleted" : "";
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  if (!change.moved_from.empty()) {
    add("moved from " + ShownPath(change.moved_from));
  } else {
    add(DescribeContents(stage, change));
  }
  add(DescribeMode(change));
  return text.empty() ? (change.is_added() ? "empty" : "changed") : text;
}

std::string DescribeBranch(const StagedBranch& branch) {
  return "new commits on " + branch.name + ", as branch " + branch.becomes;
}

std::vector<PreviewLine> MakePreview(const Stage& stage, const StagePlan& plan) {
  std::vector<PreviewLine> lines = PreviewMaker(stage, VisibleChanges(plan.merge)).Make();
  for (const StagedBranch& branch : plan.branches) {
    lines.push_back({branch.repository + "/", DescribeBranch(branch)});
  }
  return lines;
}

std::string PreviewText(const std::vector<PreviewLine>& lines) {
  std::string text;
  for (const PreviewLine& line : lines) {
    text += "  " + ShownPath(line.path) + " (" + Printable(line.what) + ")\n";
  }
  return text;
}

}  // namespace ringfence
