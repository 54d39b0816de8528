// Path rules against paths: expands sets, knows where "." and "~" are, follows links on the way to
// a rule's own path. Denies and asks forgive letter case and match a path as written or resolved;
// allows match the resolved path exactly.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/cached_files.h"
#include "policy/path.h"
#include "policy/places.h"
#include "policy/policy.h"
#include "policy/resolve.h"
#include "policy/sets.h"

namespace ringfence {

// A rule that matched: the policy's entry, and the set's own entry when it stands in a set.
struct RuleHit {
  const PathRule* rule = nullptr;
  std::string entry;  // "~/.ssh" of @secrets; else ""

  explicit operator bool() const { return rule != nullptr; }
};

class RuleMatcher {
 public:
  RuleMatcher(const Policy& policy, const Places& places, std::string session_id,
              const CachedFiles& files);

  // Whether every list of `allow` covers `resolved`. Otherwise `missing` is the place of a list
  // that does not.
  bool Allows(const std::vector<PathRuleList>& allow, Access access, const Path& resolved,
              RulePlace* missing) const;

  // The first rule that matches one of the two names, by the text alone.
  RuleHit MatchesName(const PathRuleList& rules, Access access, const Path& path) const;

  // The first rule whose own path leads, through links, to or above `resolved`.
  RuleHit MatchesThroughLinks(const PathRuleList& rules, Access access, const Path& resolved) const;

  // The first plain rule whose path exists strictly below `folder`: a search there would meet it.
  RuleHit MatchesBelow(const PathRuleList& rules, Access access, const Path& folder) const;

 private:
  struct Subject;

  const std::vector<SetEntry>& Expanded(SetName set, Access access) const;
  template <typename Visit>
  bool ForEach(const PathRule& rule, Access access, Visit visit) const;

  bool MatchesExactly(const SetEntry& entry, const Subject& subject) const;
  bool MatchesFolded(const SetEntry& entry, const Subject& subject) const;
  bool AllowsThroughLinks(const SetEntry& entry, const Path& resolved) const;
  bool OwnerIsRight(const SetEntry& entry) const;
  bool MayBeWritten(const Path& folder) const;

  struct Prefix {
    Path path;
    std::string_view rest;  // of the tail: the pattern
  };
  struct Led {
    Walked walked;
    std::string_view rest;
  };
  std::span<const Path> BasesOf(const SetEntry& entry) const;
  static Prefix PrefixOf(const SetEntry& entry, const Path& base);
  Result<std::optional<Led>> FollowLinks(const SetEntry& entry, const Path& base) const;
  bool IsUntouchable(const Path& folder) const;
  Result<bool> HasLink(const SetEntry& entry, const Path& base) const;
  bool Exists(const Path& path) const;
  template <typename Holds>
  RuleHit FirstHit(const PathRuleList& rules, Access access, Holds holds) const;

  const Policy& policy_;
  const Places& places_;
  SetContext context_;
  const CachedFiles& files_;
  struct Expansion {
    SetName set;
    Access access;
    std::vector<SetEntry> entries;
  };
  mutable std::deque<Expansion> expansions_;
  mutable std::deque<std::string> strings_;
};

// For `when.root`: the project is at or below the rule's path.
bool RootIsBelow(const PathRule& rule, const Places& places);

}  // namespace ringfence
