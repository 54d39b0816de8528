// RuleMatcher: what of the rules a search below a folder meets.
#include <algorithm>

#include "base/case_fold.h"
#include "policy/rules/entry_match.h"
#include "policy/rules/pattern.h"
#include "policy/rules/rules.h"

namespace ringfence {
namespace {

constexpr size_t kMaxListings = 2000;        // folders that are listed for one pattern
constexpr size_t kMaxNamesSearched = 16384;  // of one folder

// What is left of a pattern when one name of a path has been matched: "**" leaves itself as well.
void Advance(std::string_view pattern, std::string_view name, std::vector<std::string_view>& left) {
  std::string_view rest = pattern;
  const std::string_view want = TakeComponent(rest);
  if (want == "**") {
    left.push_back(pattern);
    if (!rest.empty()) Advance(rest, name, left);
  } else if (MatchFolded(want, name)) {
    left.push_back(rest);
  }
}

}  // namespace

// Looks below a folder for something that a pattern stands for. What it cannot see, what lies
// behind a link and what would take too long counts as found.
class RuleMatcher::PatternSearch {
 public:
  explicit PatternSearch(const RuleMatcher& matcher) : matcher_(matcher) {}

  bool Finds(const Path& folder, std::string_view pattern) {
    if (pattern.empty() || pattern == "**") return true;
    if (matcher_.IsUntouchable(folder) || ++listings_ > kMaxListings) return true;
    const Result<std::vector<DirectoryEntry>> entries =
        matcher_.files_.List(folder, kMaxNamesSearched);
    if (!entries) return true;
    return std::ranges::any_of(
        *entries, [&](const DirectoryEntry& entry) { return FindsAt(folder, entry, pattern); });
  }

 private:
  bool FindsAt(const Path& folder, const DirectoryEntry& entry, std::string_view pattern) {
    std::vector<std::string_view> left;
    Advance(pattern, FoldName(entry.name), left);
    if (left.empty()) return false;
    if (std::ranges::find(left, "") != left.end()) return true;
    const Path path = folder.Child(entry.name);
    FileKind kind = entry.kind;
    if (kind == FileKind::kMissing) {  // the file system did not say
      const Result<FileFacts> facts = matcher_.files_.Look(path);
      if (!facts) return true;
      kind = facts->kind;
    }
    // A search does not follow the links that it meets below "**", which would be everywhere.
    if (kind == FileKind::kLink) return !pattern.starts_with("**");
    if (kind != FileKind::kDirectory) return false;
    return std::ranges::any_of(left, [&](std::string_view rest) { return Finds(path, rest); });
  }

  const RuleMatcher& matcher_;
  size_t listings_ = 0;
};

// Whether a plain rule's path is there, without touching what is below a refused folder.
bool RuleMatcher::Exists(const Path& path) const {
  if (IsUntouchable(path.Parent())) return true;
  const Result<FileKind> kind = files_.ChildKind(files_.FolderOf(path.Parent()), path.name());
  return !kind || *kind != FileKind::kMissing;
}

// Something that the pattern stands for is at or below `folder`.
bool RuleMatcher::MeetsPattern(const EntryPrefix& prefix, const Path& folder) const {
  PatternSearch search(*this);
  const auto below = folder.Below(prefix.path);
  if (!below) {
    return prefix.path.IsInside(folder) && Exists(prefix.path) &&
           search.Finds(prefix.path, prefix.rest);
  }
  std::vector<std::string_view> left{prefix.rest};
  std::string_view names = *below;
  for (std::string_view name = TakeComponent(names); !name.empty(); name = TakeComponent(names)) {
    std::vector<std::string_view> next;
    for (const std::string_view pattern : left) {
      if (!pattern.empty()) Advance(pattern, FoldName(name), next);
    }
    left = std::move(next);
  }
  return std::ranges::any_of(
      left, [&](std::string_view pattern) { return search.Finds(folder, pattern); });
}

bool RuleMatcher::Meets(const SetEntry& entry, const Base& base, const Path& folder) const {
  const EntryPrefix prefix = FixedPrefix(entry, base.path);
  if (prefix.path == base.path) return false;
  if (!prefix.rest.empty()) return MeetsPattern(prefix, folder);
  if (prefix.path != folder && prefix.path.IsInside(folder)) return Exists(prefix.path);
  const Result<std::optional<LinkEnd>> led = FollowLinks(entry, base);
  if (!led || !*led || !(*led)->walked.end.IsInside(folder)) return false;
  return (*led)->guessed || (*led)->walked.facts.kind != FileKind::kMissing;
}

RuleHit RuleMatcher::MatchesBelow(const PathRuleList& rules, Access access,
                                  const Path& folder) const {
  return FirstHit(rules, access, [&](const PathRule&, const SetEntry& entry) {
    return std::ranges::any_of(BasesOf(entry.base),
                               [&](const Base& base) { return Meets(entry, base, folder); });
  });
}

}  // namespace ringfence
