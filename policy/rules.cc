#include "policy/rules.h"

#include <algorithm>

#include "base/case_fold.h"
#include "policy/pattern.h"
#include "policy/resolve.h"

namespace ringfence {
namespace {

bool IsAscii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

char LowerByte(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// `rest` equals `tail` or goes on below it.
bool Covers(std::string_view tail, std::string_view rest) {
  if (tail.empty()) return true;
  return rest.starts_with(tail) && (rest.size() == tail.size() || rest[tail.size()] == '/');
}

// The same with `rest` folded already.
bool CoversFolded(std::string_view tail, std::string_view rest) {
  if (!IsAscii(tail)) return Covers(FoldName(tail), rest);
  if (tail.empty()) return true;
  if (rest.size() < tail.size()) return false;
  for (size_t i = 0; i < tail.size(); ++i) {
    if (LowerByte(tail[i]) != rest[i]) return false;
  }
  return rest.size() == tail.size() || rest[tail.size()] == '/';
}

// Letters beyond ASCII are folded in the pattern itself; MatchPattern folds the rest.
bool MatchFolded(std::string_view pattern, std::string_view rest) {
  constexpr MatchOptions kOptions{.fold = true, .covers = true};
  if (IsAscii(pattern)) return MatchPattern(pattern, rest, kOptions);
  return MatchPattern(FoldName(pattern), rest, kOptions);
}

std::string_view FirstComponent(std::string_view text) {
  std::string_view rest = text;
  return TakeComponent(rest);
}

}  // namespace

// A path, and what of it lies below each place that a rule may begin at.
struct RuleMatcher::Subject {
  std::string text;
  std::vector<std::string> base_texts;
  std::vector<std::string_view> below_root;
  std::vector<std::string_view> below_home;

  Subject(const Path& path, const Places& places, bool fold)
      : text(fold ? FoldName(path.text()) : path.text()) {
    Add(places.root_real, fold, below_root);
    if (places.root != places.root_real) Add(places.root, fold, below_root);
    for (const Path& home : places.homes) Add(home, fold, below_home);
    for (const Path& home : places.homes_real) {
      if (std::ranges::find(places.homes, home) == places.homes.end()) {
        Add(home, fold, below_home);
      }
    }
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  std::string_view below_slash() const { return std::string_view(text).substr(1); }

 private:
  void Add(const Path& base, bool fold, std::vector<std::string_view>& below) {
    const std::string folded = fold ? FoldName(base.text()) : std::string();
    const std::string_view prefix = fold ? folded : base.text();
    std::string_view rest = text;
    if (prefix == "/") {
      below.push_back(rest.substr(1));
    } else if (Covers(prefix, rest)) {
      rest.remove_prefix(std::min(prefix.size() + 1, rest.size()));
      below.push_back(rest);
    }
  }
};

RuleMatcher::RuleMatcher(const Policy& policy, const Places& places, std::string session_id,
                         const CachedFiles& files)
    : policy_(policy),
      places_(places),
      context_{.root = places.root_real,
               .session_id = std::move(session_id),
               .user = places.user,
               .macos_names = places.macos_names,
               .homes = places.homes},
      files_(files) {}

const std::vector<SetEntry>& RuleMatcher::Expanded(SetName set, Access access) const {
  for (const Expansion& expansion : expansions_) {
    if (expansion.set == set && expansion.access == access) return expansion.entries;
  }
  return expansions_.emplace_back(Expansion{set, access, ExpandSet(set, access, context_)}).entries;
}

// Calls `visit` with the entries that `rule` stands for until it returns true.
template <typename Visit>
bool RuleMatcher::ForEach(const PathRule& rule, Access access, Visit visit) const {
  if (rule.set == SetName::kNone) {
    return visit(Entry{.base = rule.base,
                       .tail = rule.tail,
                       .has_pattern = rule.has_pattern,
                       .owned_folder = {},
                       .except = {}},
                 std::string_view());
  }
  for (const SetEntry& entry : Expanded(rule.set, access)) {
    const Entry plain{entry.base, entry.tail, entry.has_pattern, entry.owned_folder, entry.except};
    if (visit(plain, std::string_view(entry.tail))) return true;
  }
  return false;
}

bool RuleMatcher::MatchesExactly(const Entry& entry, const Subject& subject) const {
  const auto matches = [&entry](std::string_view rest) {
    return entry.has_pattern ? MatchPattern(entry.tail, rest, {.covers = true})
                             : Covers(entry.tail, rest);
  };
  switch (entry.base) {
    case RuleBase::kRoot:
      return std::ranges::any_of(subject.below_root, matches);
    case RuleBase::kHome:
      return std::ranges::any_of(subject.below_home, matches);
    case RuleBase::kAbsolute:
    case RuleBase::kAnywhere:
      return matches(subject.below_slash());
  }
  return false;
}

bool RuleMatcher::MatchesFolded(const Entry& entry, const Subject& subject) const {
  const auto matches = [&entry](std::string_view rest) {
    if (entry.has_pattern) return MatchFolded(entry.tail, rest);
    if (!CoversFolded(entry.tail, rest)) return false;
    if (entry.except.empty() || rest.size() <= entry.tail.size()) return true;
    return FirstComponent(rest.substr(entry.tail.size())) != FoldName(entry.except);
  };
  switch (entry.base) {
    case RuleBase::kRoot:
      return std::ranges::any_of(subject.below_root, matches);
    case RuleBase::kHome:
      if (places_.homes.empty()) {  // no home is known, so it may be any folder
        return MatchFolded("**/" + std::string(entry.tail), subject.below_slash());
      }
      return std::ranges::any_of(subject.below_home, matches);
    case RuleBase::kAbsolute:
    case RuleBase::kAnywhere:
      return matches(subject.below_slash());
  }
  return false;
}

// The folder is a real directory of this user's that nobody else can write to.
bool RuleMatcher::OwnerIsRight(const Entry& entry) const {
  if (entry.owned_folder.empty()) return true;
  const Result<FileFacts> facts = files_.Look(Path::Clean(entry.owned_folder));
  return facts && facts->kind == FileKind::kDirectory && facts->owner == places_.user &&
         (facts->mode & 022) == 0;
}

bool RuleMatcher::Allows(const std::vector<std::vector<PathRule>>& allow, Access access,
                         const Path& resolved, RulePlace* missing) const {
  const Subject subject(resolved, places_, false);
  const auto covers = [&](const Entry& entry, std::string_view) {
    return MatchesExactly(entry, subject) && OwnerIsRight(entry);
  };
  const auto leads = [&](const Entry& entry, std::string_view) {
    return AllowsThroughLinks(entry, resolved) && OwnerIsRight(entry);
  };
  for (const std::vector<PathRule>& list : allow) {
    const bool by_name = std::ranges::any_of(
        list, [&](const PathRule& rule) { return ForEach(rule, access, covers); });
    if (by_name) continue;
    const bool by_link = std::ranges::any_of(
        list, [&](const PathRule& rule) { return ForEach(rule, access, leads); });
    if (by_link) continue;
    if (!list.empty()) *missing = list.front().place;
    return false;
  }
  return true;
}

RuleHit RuleMatcher::MatchesName(const std::vector<PathRule>& rules, Access access,
                                 const Path& path) const {
  const Subject subject(path, places_, true);
  RuleHit hit;
  for (const PathRule& rule : rules) {
    const bool matched = ForEach(rule, access, [&](const Entry& entry, std::string_view text) {
      if (!MatchesFolded(entry, subject)) return false;
      hit = {&rule, std::string(text)};
      return true;
    });
    if (matched) return hit;
  }
  return hit;
}

std::vector<Path> RuleMatcher::BasesOf(const Entry& entry) const {
  switch (entry.base) {
    case RuleBase::kRoot:
      return {places_.root_real};
    case RuleBase::kHome:
      return places_.homes_real;
    case RuleBase::kAbsolute:
      return {Path()};
    case RuleBase::kAnywhere:
      break;
  }
  return {};
}

std::vector<RuleMatcher::Prefix> RuleMatcher::PrefixesOf(const Entry& entry) const {
  std::vector<Prefix> prefixes;
  for (const Path& base : BasesOf(entry)) {
    Prefix prefix{base, base, entry.tail};
    while (!prefix.rest.empty()) {
      std::string_view rest = prefix.rest;
      const std::string_view component = TakeComponent(rest);
      if (entry.has_pattern && HasPattern(component)) break;
      prefix.path = prefix.path.Child(component);
      rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
      prefix.rest = rest;
    }
    prefixes.push_back(std::move(prefix));
  }
  return prefixes;
}

// On macOS a folder that is refused by name is not opened, not even to find a rule's own links.
bool RuleMatcher::IsUntouchable(const Path& folder) const {
  return places_.macos_names && MatchesName(policy_.read.deny, Access::kRead, folder);
}

bool RuleMatcher::HasLink(const Entry& entry, const Path& base) const {
  Path folder = base;
  std::string_view rest = entry.tail;
  for (;;) {
    const std::string_view component = TakeComponent(rest);
    if (component.empty() || (entry.has_pattern && HasPattern(component))) return false;
    if (IsUntouchable(folder)) return false;
    const FileKind kind = files_.ChildKind(folder, component);
    if (kind == FileKind::kLink) return true;
    if (kind != FileKind::kDirectory) return false;
    folder = folder.Child(component);
  }
}

// Something that the agent may write could make or replace `path`, which is resolved. Entries with
// links count for where they lead now, whether or not they count as permissions.
bool RuleMatcher::MayBeWritten(const Path& path) const {
  const Subject subject(path, places_, false);
  const auto reaches = [&](const Entry& entry, std::string_view) {
    bool has_link = false;
    for (const Prefix& prefix : PrefixesOf(entry)) {
      if (!HasLink(entry, prefix.base)) continue;
      has_link = true;
      if (path.IsInside(Walk(prefix.path.text(), files_).end)) return true;
    }
    return !has_link && MatchesExactly(entry, subject);
  };
  return std::ranges::any_of(policy_.write.allow, [&](const std::vector<PathRule>& list) {
    return std::ranges::any_of(
        list, [&](const PathRule& rule) { return ForEach(rule, Access::kWrite, reaches); });
  });
}

bool RuleMatcher::AllowsThroughLinks(const Entry& entry, const Path& resolved) const {
  const bool below_root = entry.base == RuleBase::kRoot;
  if (below_root && !resolved.IsInside(places_.root_real)) return false;
  return std::ranges::any_of(PrefixesOf(entry), [&](const Prefix& prefix) {
    if (!HasLink(entry, prefix.base)) return false;
    const Walked walked = Walk(prefix.path.text(), files_);
    if (walked.stop != Walked::Stop::kEnd) return false;
    if (below_root && !walked.end.IsInside(places_.root_real)) return false;
    const std::optional<std::string_view> rest = resolved.Below(walked.end);
    if (!rest) return false;
    if (!prefix.rest.empty() && !MatchPattern(prefix.rest, *rest, {.covers = true})) return false;
    return std::ranges::none_of(walked.links, [&](const Path& link) {
      return MayBeWritten(link) || MayBeWritten(link.Parent());
    });
  });
}

RuleHit RuleMatcher::MatchesThroughLinks(const std::vector<PathRule>& rules, Access access,
                                         const Path& resolved) const {
  const std::string folded = FoldName(resolved.text());
  RuleHit hit;
  const auto leads = [&](const Entry& entry, const Prefix& prefix) {
    if (!HasLink(entry, prefix.base)) return false;
    const Walked walked = Walk(prefix.path.text(), files_);
    if (walked.stop != Walked::Stop::kEnd || walked.end.is_root()) return false;
    const std::string end = FoldName(walked.end.text());
    if (!Covers(end, folded)) return false;
    const std::string_view rest =
        std::string_view(folded).substr(std::min(end.size() + 1, folded.size()));
    return prefix.rest.empty() || MatchFolded(prefix.rest, rest);
  };
  for (const PathRule& rule : rules) {
    const bool matched = ForEach(rule, access, [&](const Entry& entry, std::string_view text) {
      // The system's own files are no links into somebody's project.
      if (rule.set != SetName::kNone && entry.base != RuleBase::kHome) return false;
      for (const Prefix& prefix : PrefixesOf(entry)) {
        if (!leads(entry, prefix)) continue;
        hit = {&rule, std::string(text)};
        return true;
      }
      return false;
    });
    if (matched) return hit;
  }
  return hit;
}

// Whether a plain rule's path is there, without touching what is below a refused folder.
bool RuleMatcher::Exists(const Prefix& prefix) const {
  if (IsUntouchable(prefix.path.Parent())) return true;
  return files_.ChildKind(prefix.path.Parent(), prefix.path.name()) != FileKind::kMissing;
}

RuleHit RuleMatcher::MatchesBelow(const std::vector<PathRule>& rules, Access access,
                                  const Path& folder) const {
  RuleHit hit;
  const auto meets = [&](const Entry& entry, const Prefix& prefix) {
    if (!prefix.rest.empty() || entry.tail.empty()) return false;
    if (prefix.path.IsInside(folder) && prefix.path != folder) return Exists(prefix);
    return HasLink(entry, prefix.base) &&
           Walk(prefix.path.text(), files_).end.IsInside(folder);
  };
  for (const PathRule& rule : rules) {
    const bool matched = ForEach(rule, access, [&](const Entry& entry, std::string_view text) {
      for (const Prefix& prefix : PrefixesOf(entry)) {
        if (!meets(entry, prefix)) continue;
        hit = {&rule, std::string(text)};
        return true;
      }
      return false;
    });
    if (matched) return hit;
  }
  return hit;
}

bool RootIsBelow(const PathRule& rule, const Places& places) {
  std::vector<Path> bases;
  if (rule.base == RuleBase::kAbsolute) bases.emplace_back();
  if (rule.base == RuleBase::kHome) {
    bases = places.homes;
    bases.insert(bases.end(), places.homes_real.begin(), places.homes_real.end());
  }
  for (const Path& base : bases) {
    for (const Path& root : {places.root, places.root_real}) {
      const std::optional<std::string_view> rest = root.Below(base);
      if (!rest) continue;
      if (rule.has_pattern ? MatchPattern(rule.tail, *rest, {.covers = true})
                           : Covers(rule.tail, *rest)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace ringfence
