// The part of RuleMatcher that finds the rules which a search below a directory meets.
#include <algorithm>

#include "base/case_fold.h"
#include "policy/rules/entry_match.h"
#include "policy/rules/rules.h"

namespace ringfence {
namespace {

constexpr size_t kMaxListings = 2000;        // directories listed for one pattern
constexpr size_t kMaxNamesSearched = 16384;  // in one directory

// Adds to `left` the patterns that remain after one name of a path was matched; for "**", the
// pattern itself as well.
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

// Searches below a directory for a match of a pattern. Directories that cannot be listed, links,
// and searches that take too long count as a match.
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
    if (kind == FileKind::kMissing) {  // the file system did not report it
      const Result<FileFacts> facts = matcher_.files_.Look(path);
      if (!facts) return true;
      kind = facts->kind;
    }
    // A search does not follow links below "**"; otherwise every link would count.
    if (kind == FileKind::kLink) return !pattern.starts_with("**");
    if (kind != FileKind::kDirectory) return false;
    return std::ranges::any_of(left, [&](std::string_view rest) { return Finds(path, rest); });
  }

  const RuleMatcher& matcher_;
  size_t listings_ = 0;
};

// True if a plain rule's path exists or is below a refused directory, which is not accessed.
bool RuleMatcher::Exists(const Path& path) const {
  if (IsUntouchable(path.Parent())) return true;
  const Result<FileKind> kind = files_.ChildKind(files_.FolderOf(path.Parent()), path.name());
  return !kind || *kind != FileKind::kMissing;
}

// True if a match of the pattern is at or below `folder`.
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
