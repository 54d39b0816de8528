// Matches path rules with paths: expands sets, locates "." and "~", follows links on the way to a
// rule's own path. Denies and asks ignore letter case and match a path as written or resolved;
// allows match the resolved path exactly.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_bits.h"
#include "base/not_copied.h"
#include "base/path.h"
#include "policy/files/cached_files.h"
#include "policy/files/resolve.h"
#include "policy/places.h"
#include "policy/policy.h"
#include "policy/rules/entry_match.h"
#include "policy/rules/sets.h"

namespace ringfence {

// A rule that matched: the policy's entry and, for a set, the entry in the set.
struct RuleHit {
  const PathRule* rule = nullptr;
  std::string entry;  // "~/.ssh" for @secrets; "" if not a set

  explicit operator bool() const { return rule != nullptr; }
};

// The homes below which an entry "~/x" of an allow list counts: the given ones, or also those that
// only deny, for a text "~/x" that a program may look for there.
enum class TildeHomes : bool { kGiven, kEvery };

class RuleMatcher {
 public:
  RuleMatcher(const Policy& policy, const Places& places, std::string session_id,
              const CachedFiles& files);

  // Finds the main repository, on which entries of sets depend. Called when first needed; a caller
  // that needs complete entries calls it before requesting any.
  void FindMemory() const;

  // From now on, adds every rule that matches to `uses`, which outlives this.
  void Record(std::vector<RuleUse>& uses) { uses_ = &uses; }

  // Returns the lists of `allow` that do not cover `resolved`; none if it is allowed.
  std::vector<const PathRuleList*> ListsNotCovering(const std::vector<PathRuleList>& allow,
                                                    Access access, const Path& resolved,
                                                    TildeHomes homes = TildeHomes::kGiven) const;

  // Returns the first rule that matches the name, by its text only. An ancestor does not match if a
  // set makes an exception below it.
  RuleHit MatchesName(const PathRuleList& rules, Access access, const Path& path,
                      PathRole standing = PathRole::kTarget) const;

  // Returns the first rule whose own path leads, through links, to `resolved` or a directory above
  // it.
  RuleHit MatchesThroughLinks(const PathRuleList& rules, Access access, const Path& resolved) const;

  // Returns the first rule with a path of its own that a search in `folder` would meet: the path,
  // or a match of its pattern, exists below the directory. "Anywhere" patterns do not count.
  RuleHit MatchesBelow(const PathRuleList& rules, Access access, const Path& folder) const;

  // Returns the first rule that matches another name of `path` that a mount provides. Ignores a
  // rule that also matches the directory above the mount, or another name of the project or a home.
  RuleHit MatchesOtherName(const PathRuleList& rules, Access access, const Path& path) const;

  // MatchesBelow() for other names of `folder` and of everything mounted below it.
  RuleHit MatchesBelowOtherNames(const PathRuleList& rules, Access access,
                                 const Path& folder) const;

  // True if the agent can create or replace `path`, which is resolved, by a permitted write.
  // Entries with links count for their current target, even if they do not count as permissions.
  bool MayBeWritten(const Path& path) const;

  // Base directories of the rules; an "anywhere" rule has none.
  struct Base {
    Path path;
    CachedFiles::Folder* folder;  // the cached directory
  };
  std::span<const Base> BasesOf(RuleBase base) const;
  // The base directories of an entry in an allow list.
  std::span<const Base> AllowBasesOf(RuleBase base, TildeHomes homes = TildeHomes::kGiven) const;

  // True if a link may be on the way to an entry of a set. Rules out nearly all entries at less
  // cost than checking each.
  bool MayLead(const SetEntry& entry) const;

  // Calls `visit` with each entry that `rule` expands to until `visit` returns true.
  template <typename Visit>
  bool ForEach(const PathRule& rule, Access access, Visit visit) const;

 private:
  // A path, and its parts below each base directory of the rules.
  struct Subject : NotCopied {
    std::string text;
    std::string_view below_slash;
    std::vector<std::string_view> below_root;
    std::vector<std::string_view> below_home;
    uint64_t name_bits = 0;  // of a folded text

    Subject(const Path& path, const Places& places, bool fold,
            TildeHomes homes = TildeHomes::kEvery);

    // The parts below the base directories of a rule; below "/" for an "anywhere" rule.
    std::span<const std::string_view> Below(RuleBase base) const {
      if (base == RuleBase::kRoot) return below_root;
      if (base == RuleBase::kHome) return below_home;
      return {&below_slash, 1};
    }

   private:
    void Add(const Path& base, bool fold, std::vector<std::string_view>& below);
    void AddUsualHome();
  };

  const std::vector<SetEntry>& Expanded(SetName set, Access access) const;
  bool IsLeftOut(const SetEntry& entry, std::string_view rest, PathRole standing) const;

  bool MatchesExactly(const SetEntry& entry, const Subject& subject) const;
  bool MatchesFolded(const SetEntry& entry, const Subject& subject, PathRole standing) const;
  bool AllowsThroughLinks(const SetEntry& entry, const Path& resolved, TildeHomes homes) const;
  bool OwnerIsRight(const SetEntry& entry) const;

  struct LinkEnd {
    Walked walked;
    std::string_view rest;  // the pattern in the tail
    bool guessed = false;   // the end of the path was not accessed, only taken as text
  };
  class Guard;
  class PatternSearch;
  Result<std::optional<LinkEnd>> FollowLinks(const SetEntry& entry, const Base& base) const;
  bool LeadsTo(const PathRule& rule, const SetEntry& entry, const Base& base,
               const Path& resolved) const;
  // Names in one directory and in the kListedFolders below it; the last filter has all names.
  using ListedNames = std::array<NameFilter, kListedFolders.size() + 1>;
  struct TopNames {
    ListedNames root;
    std::vector<ListedNames> homes;
  };
  const TopNames& NamesAtTop() const;
  bool IsUntouchable(const Path& folder) const;
  bool IsOthers(const SetEntry& entry, const Path& base) const;
  Result<bool> HasLink(const SetEntry& entry, const Base& base) const;
  bool Exists(const Path& path) const;
  RuleHit MatchesPlace(const PathRuleList& rules, Access access,
                       const MountTable::Name& name) const;
  bool Meets(const SetEntry& entry, const Base& base, const Path& folder) const;
  bool MeetsPattern(const EntryPrefix& prefix, const Path& folder) const;
  template <typename Holds, typename May = bool (*)(const PathRule&)>
  RuleHit FirstHit(
      const PathRuleList& rules, Access access, Holds holds,
      May may = [](const PathRule&) { return true; }) const;

  void Note(const PathRule& rule) const;
  template <typename Holds>
  bool HasRule(const PathRuleList& rules, Access access, const Holds& holds) const;

  const Policy& policy_;
  const Places& places_;
  mutable SetContext context_;
  const CachedFiles& files_;
  Base slash_;
  Base root_;
  std::vector<Base> homes_;
  std::vector<Base> allow_homes_;
  struct Expansion {
    SetName set;
    Access access;
    std::vector<SetEntry> entries;
  };
  mutable std::deque<Expansion> expansions_;
  mutable std::deque<std::string> strings_;
  struct Untouchable {
    Path folder;
    bool is_so = false;
  };
  mutable std::optional<TopNames> top_names_;
  mutable std::vector<Untouchable> untouchable_;  // IsUntouchable's earlier results
  std::vector<RuleUse>* uses_ = nullptr;
};

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

// Returns the first entry of the first rule for which `holds` is true. Does not expand rules for
// which `may` is false.
template <typename Holds, typename May>
RuleHit RuleMatcher::FirstHit(const PathRuleList& rules, Access access, Holds holds,
                              May may) const {
  RuleHit hit;
  for (const std::span<const PathRule> list : rules) {
    for (const PathRule& rule : list) {
      if (!may(rule)) continue;
      const bool matched = ForEach(rule, access, [&](const SetEntry& entry) {
        if (!holds(rule, entry)) return false;
        hit = {&rule, rule.set == SetName::kNone ? "" : entry.text()};
        return true;
      });
      if (!matched) continue;
      Note(rule);
      return hit;
    }
  }
  return hit;
}

// For `when.root`: true if the project is at or below the rule's path.
bool RootIsBelow(const PathRule& rule, const Places& places);

}  // namespace ringfence
