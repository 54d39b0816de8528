#include "policy/rules/rules.h"

#include <algorithm>
#include <iterator>

#include "base/case_fold.h"
#include "base/name_bits.h"
#include "policy/files/git_files.h"
#include "policy/rules/entry_match.h"
#include "policy/rules/pattern.h"

namespace ringfence {

RuleMatcher::Subject::Subject(const Path& path, const Places& places, bool fold, TildeHomes homes)
    : text(fold ? FoldName(path.text()) : path.text()),
      below_slash(std::string_view(text).substr(1)) {
  if (fold) name_bits = NameBitsOf(below_slash);
  Add(places.root_real, fold, below_root);
  if (places.root != places.root_real) Add(places.root, fold, below_root);
  for (const Path& home : places.homes) {  // resolved ones as well
    const bool counts = homes == TildeHomes::kEvery || MayAllowBelow(places, home);
    if (counts) Add(home, fold, below_home);
  }
  if (places.homes.empty()) AddUsualHome();
}

// Adds the part below a directory that looks like a home, for use when no home is known.
void RuleMatcher::Subject::AddUsualHome() {
  for (const std::string_view base : {"/home/", "/users/", "/var/home/", "/root"}) {
    std::string_view rest = text;
    if (!rest.starts_with(base)) continue;
    rest.remove_prefix(base.size());
    if (base.ends_with('/')) TakeComponent(rest);  // the user's name
    if (rest.empty() || rest[0] == '/') below_home.push_back(rest.substr(rest.empty() ? 0 : 1));
  }
}

void RuleMatcher::Subject::Add(const Path& base, bool fold, std::vector<std::string_view>& below) {
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

RuleMatcher::RuleMatcher(const Policy& policy, const Places& places, std::string session_id,
                         const CachedFiles& files)
    : policy_(policy),
      places_(places),
      context_{.agent = places.agent,
               .root = places.root_real,
               .given_root = places.root,
               .start = places.start,
               .memory_root = {},
               .session_id = std::move(session_id),
               .user = places.user,
               .macos_names = places.macos_names,
               .homes = places.homes,
               .settings_folders = places.settings_folders},
      files_(files),
      slash_{Path(), &files.FolderOf(Path())},
      root_{places.root_real, &files.FolderOf(places.root_real)} {
  for (const Path& home : places.homes_real) {
    homes_.push_back({home, &files.FolderOf(home)});
    if (MayAllowBelow(places, home)) allow_homes_.push_back(homes_.back());
    for (const Path& folder : {home, home.Child(".config")}) files.ExpectMany(folder);  // @secrets
  }
}

void RuleMatcher::FindMemory() const {
  if (!context_.memory_root) {
    context_.memory_root = MainRepositoryOf(context_.start.value_or(context_.root), files_);
  }
}

const std::vector<SetEntry>& RuleMatcher::Expanded(SetName set, Access access) const {
  if (set != SetName::kAgentScratch) access = Access::kRead;  // the other sets do not depend on it
  for (const Expansion& expansion : expansions_) {
    if (expansion.set == set && expansion.access == access) return expansion.entries;
  }
  if (set == SetName::kAgentScratch) FindMemory();
  return expansions_
      .emplace_back(Expansion{set, access, ExpandSet(set, access, context_, strings_)})
      .entries;
}

bool RuleMatcher::MatchesExactly(const SetEntry& entry, const Subject& subject) const {
  const auto matches = [&entry](std::string_view rest) {
    return entry.has_pattern ? MatchPattern(entry.tail, rest, {.covers = true})
                             : Covers(entry.tail, rest);
  };
  return std::ranges::any_of(subject.Below(entry.base), matches);
}

// True if the entry excludes `rest`, which is at or below its plain tail.
bool RuleMatcher::IsLeftOut(const SetEntry& entry, std::string_view rest, PathRole standing) const {
  if (entry.except.empty()) return false;
  rest.remove_prefix(std::min(entry.tail.size(), rest.size()));
  if (IsException(entry.except, rest, standing)) return true;
  if (!entry.spares_memory) return false;
  FindMemory();
  return IsException(WordList(context_.agent->project_folder(*context_.memory_root) + "/memory\n"),
                     rest, standing);
}

bool RuleMatcher::MatchesFolded(const SetEntry& entry, const Subject& subject,
                                PathRole standing) const {
  const auto matches = [&](std::string_view rest) {
    if (entry.has_pattern) return MatchFoldedUnless(entry.except, entry.tail, rest);
    return CoversFolded(entry.tail, rest) && !IsLeftOut(entry, rest, standing);
  };
  const bool is_in_root = !subject.below_root.empty();
  if (entry.base == RuleBase::kAnywhere && entry.holds_root && is_in_root) {
    return matches(subject.below_root.front());
  }
  if (std::ranges::any_of(subject.Below(entry.base), matches)) return true;
  // If no home is known, it may be any directory outside the project.
  return entry.base == RuleBase::kHome && places_.homes.empty() && !is_in_root &&
         MatchFolded("**/" + std::string(entry.tail), subject.below_slash);
}

// True if the entry's owned_folder is a real directory that belongs to this user and that no other
// user can write to.
bool RuleMatcher::OwnerIsRight(const SetEntry& entry) const {
  if (entry.owned_folder.empty()) return true;
  const Result<FileFacts> facts = files_.Look(Path::Clean(entry.owned_folder));
  return facts && facts->kind == FileKind::kDirectory && facts->owner == places_.user &&
         (facts->mode & 022) == 0;
}

void RuleMatcher::Note(const PathRule& rule) const {
  if (uses_ != nullptr) uses_->push_back({rule.place(), rule.written()});
}

// True if `holds` is true for an entry of one of the rules.
template <typename Holds>
bool RuleMatcher::HasRule(const PathRuleList& rules, Access access, const Holds& holds) const {
  for (const std::span<const PathRule> list : rules) {
    for (const PathRule& rule : list) {
      if (!ForEach(rule, access, holds)) continue;
      Note(rule);
      return true;
    }
  }
  return false;
}

std::vector<const PathRuleList*> RuleMatcher::ListsNotCovering(
    const std::vector<PathRuleList>& allow, Access access, const Path& resolved,
    TildeHomes homes) const {
  const Subject subject(resolved, places_, false, homes);
  const auto covers = [&](const SetEntry& entry) {
    return MatchesExactly(entry, subject) && OwnerIsRight(entry);
  };
  const auto leads = [&](const SetEntry& entry) {
    return AllowsThroughLinks(entry, resolved, homes) && OwnerIsRight(entry);
  };
  std::vector<const PathRuleList*> lists;
  for (const PathRuleList& list : allow) {
    if (!HasRule(list, access, covers) && !HasRule(list, access, leads)) lists.push_back(&list);
  }
  return lists;
}

RuleHit RuleMatcher::MatchesName(const PathRuleList& rules, Access access, const Path& path,
                                 PathRole standing) const {
  const Subject subject(path, places_, true);
  const std::string_view outside =
      OutsideFolders(path.text(), policy_.package_stores, places_.root_real.text());
  std::optional<Subject> store;
  if (outside.size() < path.text().size()) store.emplace(Path::Clean(outside), places_, true);
  return FirstHit(rules, access, [&](const PathRule&, const SetEntry& entry) {
    if (!HasNameBits(subject.name_bits, entry.name_bits)) return false;  // nearly always
    return MatchesFolded(entry, entry.not_in_stores && store ? *store : subject, standing);
  });
}

bool RootIsBelow(const PathRule& rule, const Places& places) {
  std::vector<Path> bases;
  if (rule.base == RuleBase::kAbsolute) bases.emplace_back();
  if (rule.base == RuleBase::kHome) {
    std::ranges::copy_if(places.homes, std::back_inserter(bases),
                         [&](const Path& home) { return MayAllowBelow(places, home); });
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
