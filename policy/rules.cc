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
  return expansions_
      .emplace_back(Expansion{set, access, ExpandSet(set, access, context_, strings_)})
      .entries;
}

// Calls `visit` with the entries that `rule` stands for until it returns true.
template <typename Visit>
bool RuleMatcher::ForEach(const PathRule& rule, Access access, Visit visit) const {
  if (rule.set == SetName::kNone) {
    return visit(SetEntry{.base = rule.base, .tail = rule.tail, .has_pattern = rule.has_pattern});
  }
  for (const SetEntry& entry : Expanded(rule.set, access)) {
    if (visit(entry)) return true;
  }
  return false;
}

bool RuleMatcher::MatchesExactly(const SetEntry& entry, const Subject& subject) const {
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

bool RuleMatcher::MatchesFolded(const SetEntry& entry, const Subject& subject) const {
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
bool RuleMatcher::OwnerIsRight(const SetEntry& entry) const {
  if (entry.owned_folder.empty()) return true;
  const Result<FileFacts> facts = files_.Look(Path::Clean(entry.owned_folder));
  return facts && facts->kind == FileKind::kDirectory && facts->owner == places_.user &&
         (facts->mode & 022) == 0;
}

bool RuleMatcher::Allows(const std::vector<PathRuleList>& allow, Access access,
                         const Path& resolved, RulePlace* missing) const {
  const Subject subject(resolved, places_, false);
  const auto covers = [&](const SetEntry& entry) {
    return MatchesExactly(entry, subject) && OwnerIsRight(entry);
  };
  const auto leads = [&](const SetEntry& entry) {
    return AllowsThroughLinks(entry, resolved) && OwnerIsRight(entry);
  };
  for (const PathRuleList& list : allow) {
    const auto any = [&list](auto holds) {
      return std::ranges::any_of(list, [&holds](std::span<const PathRule> rules) {
        return std::ranges::any_of(rules, holds);
      });
    };
    if (any([&](const PathRule& rule) { return ForEach(rule, access, covers); })) continue;
    if (any([&](const PathRule& rule) { return ForEach(rule, access, leads); })) continue;
    if (!list.empty() && !list.front().empty()) *missing = list.front().front().place;
    return false;
  }
  return true;
}

std::span<const Path> RuleMatcher::BasesOf(const SetEntry& entry) const {
  static const Path kSlash;
  switch (entry.base) {
    case RuleBase::kRoot:
      return {&places_.root_real, 1};
    case RuleBase::kHome:
      return places_.homes_real;
    case RuleBase::kAbsolute:
      return {&kSlash, 1};
    case RuleBase::kAnywhere:
      break;
  }
  return {};
}

// `base` and the part of the tail without pattern characters.
RuleMatcher::Prefix RuleMatcher::PrefixOf(const SetEntry& entry, const Path& base) {
  Prefix prefix{base, entry.tail};
  while (!prefix.rest.empty()) {
    std::string_view rest = prefix.rest;
    const std::string_view component = TakeComponent(rest);
    if (entry.has_pattern && HasPattern(component)) break;
    prefix.path = prefix.path.Child(component);
    rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
    prefix.rest = rest;
  }
  return prefix;
}

// Where the entry's own path leads from `base`; nothing when no link is on the way, an error when
// it cannot be seen.
Result<std::optional<RuleMatcher::Led>> RuleMatcher::FollowLinks(const SetEntry& entry,
                                                                 const Path& base) const {
  const Result<bool> has_link = HasLink(entry, base);
  if (!has_link) return has_link.error();
  if (!*has_link) return std::optional<Led>();
  const Prefix prefix = PrefixOf(entry, base);
  Walked walked = Walk(prefix.path.text(), files_);
  if (walked.error) return *walked.error;
  if (walked.stop != Walked::Stop::kEnd) return std::optional<Led>();  // it leads nowhere
  return std::optional<Led>(Led{std::move(walked), prefix.rest});
}

// On macOS a folder that is refused by name is not opened, not even to find a rule's own links.
bool RuleMatcher::IsUntouchable(const Path& folder) const {
  return places_.macos_names && MatchesName(policy_.read.deny, Access::kRead, folder);
}

Result<bool> RuleMatcher::HasLink(const SetEntry& entry, const Path& base) const {
  Path folder = base;
  std::string_view rest = entry.tail;
  for (;;) {
    const std::string_view component = TakeComponent(rest);
    if (component.empty() || (entry.has_pattern && HasPattern(component))) return false;
    if (IsUntouchable(folder)) return false;
    const Result<FileKind> kind = files_.ChildKind(folder, component);
    if (!kind) return kind.error();
    if (*kind == FileKind::kLink) return true;
    if (*kind != FileKind::kDirectory) return false;
    folder = folder.Child(component);
  }
}

// Something that the agent may write could make or replace `path`, which is resolved. Entries with
// links count for where they lead now, whether or not they count as permissions.
bool RuleMatcher::MayBeWritten(const Path& path) const {
  const Subject subject(path, places_, false);
  const auto reaches = [&](const SetEntry& entry) {
    bool has_link = false;
    for (const Path& base : BasesOf(entry)) {
      const Result<std::optional<Led>> led = FollowLinks(entry, base);
      if (!led) return true;  // it may lead anywhere
      if (!*led) continue;
      has_link = true;
      if (path.IsInside((*led)->walked.end)) return true;
    }
    return !has_link && MatchesExactly(entry, subject);
  };
  for (const PathRuleList& list : policy_.write.allow) {
    for (const std::span<const PathRule> rules : list) {
      const bool reached = std::ranges::any_of(
          rules, [&](const PathRule& rule) { return ForEach(rule, Access::kWrite, reaches); });
      if (reached) return true;
    }
  }
  return false;
}

bool RuleMatcher::AllowsThroughLinks(const SetEntry& entry, const Path& resolved) const {
  const bool below_root = entry.base == RuleBase::kRoot;
  if (below_root && !resolved.IsInside(places_.root_real)) return false;
  return std::ranges::any_of(BasesOf(entry), [&](const Path& base) {
    const Result<std::optional<Led>> found = FollowLinks(entry, base);
    if (!found || !*found) return false;
    const std::optional<Led>& led = *found;
    if (below_root && !led->walked.end.IsInside(places_.root_real)) return false;
    const std::optional<std::string_view> rest = resolved.Below(led->walked.end);
    if (!rest) return false;
    if (!led->rest.empty() && !MatchPattern(led->rest, *rest, {.covers = true})) return false;
    return std::ranges::none_of(led->walked.links, [&](const Path& link) {
      return MayBeWritten(link) || MayBeWritten(link.Parent());
    });
  });
}

// The first entry of the first rule for which `holds` is true.
template <typename Holds>
RuleHit RuleMatcher::FirstHit(const PathRuleList& rules, Access access, Holds holds) const {
  RuleHit hit;
  for (const std::span<const PathRule> list : rules) {
    for (const PathRule& rule : list) {
      const bool matched = ForEach(rule, access, [&](const SetEntry& entry) {
        if (!holds(rule, entry)) return false;
        hit = {&rule, rule.set == SetName::kNone ? "" : entry.text()};
        return true;
      });
      if (matched) return hit;
    }
  }
  return hit;
}

RuleHit RuleMatcher::MatchesName(const PathRuleList& rules, Access access, const Path& path) const {
  const Subject subject(path, places_, true);
  return FirstHit(rules, access, [&](const PathRule&, const SetEntry& entry) {
    return MatchesFolded(entry, subject);
  });
}

RuleHit RuleMatcher::MatchesThroughLinks(const PathRuleList& rules, Access access,
                                         const Path& resolved) const {
  const std::string folded = FoldName(resolved.text());
  const auto leads = [&](const PathRule& rule, const SetEntry& entry, const Path& base) {
    const Result<std::optional<Led>> found = FollowLinks(entry, base);
    // A rule that somebody wrote and nobody can follow: there is no decision. Of a set's many
    // places some belong to others on many machines.
    if (!found && rule.set == SetName::kNone) files_.Fail(found.error());
    if (!found || !*found || (*found)->walked.end.is_root()) return false;
    const std::optional<Led>& led = *found;
    const std::string end = FoldName(led->walked.end.text());
    if (!Covers(end, folded)) return false;
    const std::string_view rest =
        std::string_view(folded).substr(std::min(end.size() + 1, folded.size()));
    return led->rest.empty() || MatchFolded(led->rest, rest);
  };
  return FirstHit(rules, access, [&](const PathRule& rule, const SetEntry& entry) {
    // The system's own files are no links into somebody's project.
    if (rule.set != SetName::kNone && entry.base != RuleBase::kHome) return false;
    return std::ranges::any_of(BasesOf(entry),
                               [&](const Path& base) { return leads(rule, entry, base); });
  });
}

// Whether a plain rule's path is there, without touching what is below a refused folder.
bool RuleMatcher::Exists(const Path& path) const {
  if (IsUntouchable(path.Parent())) return true;
  const Result<FileKind> kind = files_.ChildKind(path.Parent(), path.name());
  return !kind || *kind != FileKind::kMissing;
}

RuleHit RuleMatcher::MatchesBelow(const PathRuleList& rules, Access access,
                                  const Path& folder) const {
  const auto meets = [&](const SetEntry& entry, const Path& base) {
    const Prefix prefix = PrefixOf(entry, base);
    if (!prefix.rest.empty() || entry.tail.empty()) return false;
    if (prefix.path != folder && prefix.path.IsInside(folder)) return Exists(prefix.path);
    const Result<std::optional<Led>> led = FollowLinks(entry, base);
    return led && *led && (*led)->walked.end.IsInside(folder);
  };
  return FirstHit(rules, access, [&](const PathRule&, const SetEntry& entry) {
    return std::ranges::any_of(BasesOf(entry),
                               [&](const Path& base) { return meets(entry, base); });
  });
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
