// PlanRules: places that may not be read. Mounts cover those that exist when the plan is made;
// "anywhere" patterns require a search of every name below the project.
#include <algorithm>
#include <deque>

#include "base/case_fold.h"
#include "base/text.h"
#include "policy/files/resolve.h"
#include "policy/rules/entry_match.h"
#include "policy/rules/pattern.h"
#include "sandbox/plan_rules.h"

namespace ringfence {
namespace {

constexpr size_t kMaxNames = 4'000'000;
constexpr size_t kMaxNamesInFolder = 1'000'000;

}  // namespace

class PlanRules::Hider {
 public:
  Hider(const PlanRules& rules, const std::vector<Path>& made) : rules_(rules), made_(made) {}

  void Add(const PathRuleList& rules, std::string_view did) {
    rules_.VisitEntries(rules, Access::kRead, [&](const Entry& e) {
      // Users may type another letter case than the disk has, and the hook ignores case.
      const bool is_typed = e.rule->set == SetName::kNone;
      const bool may_exist = e.is_anywhere() || is_typed ||
                             (!made_.empty() && WillBe(e.FixedPrefix().path)) ||
                             (rules_.matcher_.MayLead(e.entry) &&  // from an existing name
                              rules_.MayExist(*e.base->folder, SplitTail(e.entry).fixed));
      if (may_exist) AddEntry(e, std::string(did) + " " + Quote(e.rule->written()));
    });
  }

  // Compares every name below `folders` with the "anywhere" patterns.
  void Search(std::vector<Path> folders) {
    if (floating_.empty()) return;
    std::ranges::sort(folders);
    Path last;
    for (const Path& folder : folders) {
      if (!last.is_root() && folder.IsInside(last)) continue;
      last = folder;
      SearchBelow(folder, floating_.front().why,
                  [&](const Path& path) { return MatchesFloating(path); });
    }
  }

  std::vector<HiddenPlace> Take() {
    std::ranges::stable_sort(hidden_, {}, &HiddenPlace::path);
    std::vector<HiddenPlace> outermost;  // also sorted: a directory precedes its contents
    for (HiddenPlace& place : hidden_) {
      if (!outermost.empty() && outermost.back().path == place.path) {
        Merge(outermost.back(), place);
      } else if (!IsCovered(outermost, place.path)) {
        outermost.push_back(std::move(place));
      }
    }
    return outermost;
  }

  bool has_floating() const { return !floating_.empty(); }
  bool is_whole() const { return seen_ <= kMaxNames; }

 private:
  // Keeps only what both places keep.
  static void Merge(HiddenPlace& place, const HiddenPlace& other) {
    std::erase_if(place.kept, [&](const Path& kept) { return other.covers(kept); });
    AddLinks(place, other.links);
    place.is_found = place.is_found && other.is_found;
  }

  static void AddLinks(HiddenPlace& place, const std::vector<Path>& links) {
    place.links.insert(place.links.end(), links.begin(), links.end());
  }

  static bool IsCovered(const std::vector<HiddenPlace>& places, const Path& inner) {
    for (Path path = inner; !path.is_root();) {
      path = path.Parent();
      const auto above = std::ranges::lower_bound(places, path, {}, &HiddenPlace::path);
      if (above != places.end() && above->path == path && above->covers(inner)) return true;
    }
    return false;
  }

  struct Floating {
    SetEntry entry;
    std::string why;
  };

  void AddEntry(const Entry& e, const std::string& why) {
    if (e.is_anywhere()) {
      floating_.push_back({e.entry, why});
      return;
    }
    const EntryPrefix prefix = e.FixedPrefix();
    const auto add = [&](const Path& path) {
      if (e.entry.has_pattern) return AddMatches(path, prefix.rest, why);
      AddPath(path, why, e.entry.except);
    };
    add(prefix.path);
    if (e.rule->set != SetName::kNone) return;
    VisitCases(e.base->path, *prefix.path.Below(e.base->path), [&](const Path& path) {
      if (path != prefix.path) add(path);
    });
  }

  // Visits names that differ only in letter case, if the file system distinguishes case.
  template <typename Visit>
  void VisitCases(const Path& folder, std::string_view rest, Visit visit) {
    const std::string name = FoldName(TakeComponent(rest));
    if (name.empty()) return visit(folder);
    for (const DirectoryEntry& entry : Listed(folder)) {
      if (FoldsTo(entry.name, name)) VisitCases(folder.Child(entry.name), rest, visit);
    }
  }

  // Cached, since several rules begin in the same directory. One that cannot be listed here cannot
  // be listed by the command either.
  const std::vector<DirectoryEntry>& Listed(const Path& folder) {
    const auto known = std::ranges::find(listed_, folder, &Listing::folder);
    if (known != listed_.end()) return known->entries;
    auto entries = rules_.files_.List(folder, kMaxNamesInFolder);
    listed_.push_back({folder, entries ? std::move(*entries) : std::vector<DirectoryEntry>()});
    return listed_.back().entries;
  }

  void AddPath(const Path& path, const std::string& why, WordList except = WordList("")) {
    const Walked walked = Walk(path.text(), rules_.files_);
    if (walked.stop == Walked::Stop::kUnreadable) return AddClosed(walked, why);
    if (walked.stop != Walked::Stop::kEnd) return;
    FileKind kind = walked.facts.kind;
    if (kind == FileKind::kMissing && WillBe(walked.end)) kind = FileKind::kDirectory;
    if (kind == FileKind::kMissing) return;
    HiddenPlace place{
        .path = walked.end,
        .kind = kind == FileKind::kDirectory ? PlaceKind::kDirectory : PlaceKind::kFile,
        .links = PassedBy(walked),
        .why = why};
    for (const std::string_view name : except) {
      if (HasPattern(name)) continue;
      const Path kept = walked.end.Child(name);
      if (IsFolder(kept) || WillBe(kept)) place.kept.push_back(kept);
    }
    hidden_.push_back(std::move(place));
  }

  // Hides the directory that stopped the walk. Its contents are unknown, and a command could reopen
  // a directory of the same user that an earlier command closed.
  void AddClosed(const Walked& walked, const std::string& why) {
    for (Path path = walked.end; !path.is_root(); path = path.Parent()) {
      if (!IsFolder(path)) continue;
      hidden_.push_back({.path = path,
                         .kind = PlaceKind::kDirectory,
                         .is_closed = true,
                         .links = PassedBy(walked),
                         .why = why + ", and its content cannot be checked"});
      return;
    }
  }

  // True for a directory that will be created, and for those above it.
  bool WillBe(const Path& path) const {
    return std::ranges::any_of(made_, [&](const Path& made) { return made.IsInside(path); });
  }

  // Adds the matches of a pattern below a fixed directory.
  void AddMatches(const Path& folder, std::string_view pattern, const std::string& why) {
    const Walked walked = Walk(folder.text(), rules_.files_);
    if (walked.stop == Walked::Stop::kUnreadable) return AddClosed(walked, why);
    if (!walked.EndsAt(FileKind::kDirectory)) return;
    SearchBelow(walked.end, why, [&](const Path& path) {
      const std::string folded = FoldName(*path.Below(walked.end));
      if (!MatchFolded(pattern, folded)) return false;
      const size_t before = hidden_.size();
      AddPath(path, why);
      if (hidden_.size() > before) AddLinks(hidden_.back(), PassedBy(walked));
      return true;
    });
  }

  bool MatchesFloating(const Path& path) {
    const std::string folded = FoldName(path.text().substr(1));
    for (const Floating& floating : floating_) {
      if (!MatchFoldedUnless(floating.entry.except, floating.entry.tail, folded)) continue;
      const size_t before = hidden_.size();
      AddPath(path, floating.why);
      if (hidden_.size() > before) hidden_.back().is_found = true;
      return true;
    }
    return false;
  }

  bool IsFolder(const Path& path) const {
    return rules_.files_.KindOr(FileKind::kMissing, path) == FileKind::kDirectory;
  }

  // Not every file system reports the kind when it lists a name.
  bool IsFolder(const DirectoryEntry& entry, const Path& path) const {
    if (entry.kind != FileKind::kMissing) return entry.kind == FileKind::kDirectory;
    return IsFolder(path);
  }

  // Calls `takes` with each name. Does not search a directory that `takes` accepts; hides one that
  // cannot be listed, giving `why`.
  template <typename Takes>
  void SearchBelow(const Path& top, const std::string& why, Takes takes) {
    std::vector<Path> open{top};
    while (!open.empty() && is_whole()) {
      const Path folder = std::move(open.back());
      open.pop_back();
      const auto entries = rules_.files_.List(folder, kMaxNamesInFolder);
      if (!entries) {
        AddClosed({.stop = Walked::Stop::kUnreadable, .end = folder}, why);
        continue;
      }
      for (const DirectoryEntry& entry : *entries) {
        if (++seen_ > kMaxNames) return;
        const Path path = folder.Child(entry.name);
        if (!takes(path) && IsFolder(entry, path)) open.push_back(path);
      }
    }
  }

  struct Listing {
    Path folder;
    std::vector<DirectoryEntry> entries;
  };

  const PlanRules& rules_;
  const std::vector<Path>& made_;
  std::deque<Listing> listed_;  // a deque keeps references valid
  std::vector<Floating> floating_;
  std::vector<HiddenPlace> hidden_;
  size_t seen_ = 0;
};

Result<std::vector<HiddenPlace>> PlanRules::HiddenPlaces(const std::vector<Path>& folders,
                                                         const std::vector<Path>& made) {
  Hider hider(*this, made);
  hider.Add(policy_.read.deny, "denied by");
  hider.Add(ReadAsks(), "the policy asks about");
  hider.Search(folders);
  if (hider.has_floating() && policy_.sandbox.reads == SandboxReads::kAll) {
    notes_.emplace_back(
        "read.deny: patterns for any directory are looked for below the project and what it may "
        "write, and only for what is there at the start");
  }
  if (!hider.is_whole()) {
    return UsageError(
        "read.deny",
        "more than " + std::to_string(kMaxNames) +
            " names below the project, to compare with its patterns for any directory",
        "deny names of directories, or remove what is not needed");
  }
  return hider.Take();
}

}  // namespace ringfence
