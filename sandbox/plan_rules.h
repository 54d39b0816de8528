// PlanRules: a policy's path rules as places and names, for a plan. Where a rule leads through
// links is looked up once, when the plan is made; the answer is the hook's (RuleMatcher).
#pragma once

#include <string>
#include <vector>

#include "policy/rules/entry_match.h"
#include "policy/rules/rules.h"
#include "sandbox/git_targets.h"
#include "sandbox/plan.h"

namespace ringfence {

class PlanRules {
 public:
  explicit PlanRules(const PlanRequest& request);

  // Every name at, below or above one of `places` that may not be written: denied, to be asked
  // about, or ringfence's own. Elsewhere nothing can be written anyway.
  void AddNames(const PathRules& write, const std::vector<PlannedPlace>& places,
                GuardedNames& names);

  // Of a list of questions those that bind a command as well: programs may read what @dotenv names.
  static PathRuleList AsksOfCommands(const PathRuleList& asks);

  // Where something may be written: covered by every list. A pattern gives the folder it begins in;
  // AllowOnly() says what of it is meant.
  std::vector<PlannedPlace> WritablePlaces(const PathRules& write) const;
  // Where something may be read, unless the place itself is refused.
  std::vector<PlannedPlace> ReadablePlaces(const PathRules& read) const;
  bool RefusesReading(const PathRules& read, const Path& place) const;

  // Whether a command may make or replace `path`, which is resolved.
  bool MayBeWritten(const Path& path) const { return matcher_.MayBeWritten(path); }

  // Where a place is only a part of its folder: what the lists cover, besides `others`.
  void AllowOnly(const PathRules& write, const std::vector<GuardedName>& others,
                 GuardedNames& names) const;

  // What exists of that which may not be read. Patterns for any folder are looked for below
  // `folders`. Questions nobody can answer are denials here. Of `made`, folders, it is known that
  // they will be there. Fails where there are too many names to look at.
  Result<std::vector<HiddenPlace>> HiddenPlaces(const PathRules& read,
                                                const std::vector<Path>& folders,
                                                const std::vector<Path>& made);

  // The paths of `names` that exist now and that no pattern is needed for; none lies inside
  // another.
  std::vector<Path> SealedPaths(const GuardedNames& names) const;

  // What could not be looked at as the policy asks, for people.
  std::vector<std::string> TakeNotes() { return std::move(notes_); }

 private:
  // `"docs/adr" (policy.json:6 /write/deny)`
  std::string TextOf(const PathRule& rule) const;
  uint32_t LineOfRule(const PathRule& rule) const;

  using Base = RuleMatcher::Base;
  const Base& Slash() const;
  // An entry of a rule below one of the folders it may begin at.
  struct Entry {
    const PathRule* rule = nullptr;
    SetEntry entry;
    const Base* base = nullptr;

    bool is_anywhere() const { return entry.base == RuleBase::kAnywhere; }
    EntryPrefix FixedPrefix() const { return ringfence::FixedPrefix(entry, base->path); }
  };
  // Calls `visit` with each entry that the rules stand for.
  template <typename Visit>
  void VisitEntries(const PathRule& rule, Access access, Visit visit) const;
  template <typename Visit>
  void VisitEntries(const PathRuleList& rules, Access access, Visit visit) const;
  std::vector<Entry> AllowedEntries(const PathRuleList& rules, Access access) const;

  // Where an allow entry leads.
  struct Candidate {
    Path path;  // resolved
    FileKind kind = FileKind::kMissing;
    bool is_pattern = false;
    SetName set = SetName::kNone;
    std::string why;
  };
  std::vector<Candidate> Candidates(const PathRuleList& rules, Access access) const;
  void UseParent(Candidate& candidate) const;
  std::vector<Candidate> InEveryList(const std::vector<PathRuleList>& allow, Access access) const;
  std::vector<PlannedPlace> PlacesOf(const std::vector<PathRuleList>& allow, Access access) const;

  // Places as they are seen from a folder that many names begin at.
  struct View {
    const Base* base = nullptr;
    bool is_inside = false;          // of one of the places
    std::vector<std::string> below;  // it, folded
  };
  std::vector<View> ViewsOf(const std::vector<PlannedPlace>& places) const;
  static bool IsNear(const std::vector<View>& views, const Base& base, std::string_view name);
  static View ViewOf(const std::vector<PlannedPlace>& places, const Base& base);
  // A GuardedName of which most come to nothing: there are hundreds of home folders' names.
  struct NameSource {
    const Base& base;
    std::string_view tail;
    bool has_pattern = false;
    bool is_anywhere = false;
    WordList except = WordList("");
    bool unless_new = false;
    bool comes_whole = false;
    bool not_in_stores = false;
    bool holds_root = false;
    bool spares_root = false;  // where a link leads to the project or above it
    bool may_lead = true;      // through a link
    uint64_t name_bits = 0;    // as in SetEntry
    std::string_view why;
  };
  static GuardedName NameOf(const NameSource& name);
  void AddName(const NameSource& name, const std::vector<View>& views, GuardedNames& names) const;
  void AddLed(const NameSource& name, const std::vector<View>& views, GuardedNames& names) const;
  void AddClosed(const Walked& walked, std::string_view why, const std::vector<View>& views,
                 GuardedNames& names) const;
  void AddLedFromTop(const SetEntry& entry, std::string_view why, const std::vector<View>& views,
                     GuardedNames& names) const;
  void AddNameRules(const PathRuleList& rules, std::string_view did, const std::vector<View>& views,
                    GuardedNames& names) const;
  void AddGitTargets(const std::vector<View>& views, GuardedNames& names);
  void AddInAnyTree(const GitTarget& target, GuardedNames& names) const;
  bool MayExist(CachedFiles::Folder& base, std::string_view below) const;

  class Hider;

  const SandboxCommand& command_;
  const Policy& policy_;
  const Places& places_;
  const CachedFiles& files_;
  RuleMatcher matcher_;
  std::vector<std::string> notes_;
  // Where the last rule was whose line was asked for. A policy may have many rules, mostly in
  // order.
  struct Line {
    const RuleOrigin* origin = nullptr;
    uint32_t offset = 0;
    uint32_t number = 1;
  };
  mutable Line line_;
};

template <typename Visit>
void PlanRules::VisitEntries(const PathRule& rule, Access access, Visit visit) const {
  matcher_.ForEach(rule, access, [&](const SetEntry& entry) {
    if (entry.is_for_tools) return false;
    if (entry.base == RuleBase::kAnywhere) visit(Entry{&rule, entry, &Slash()});
    for (const Base& base : matcher_.BasesOf(entry.base)) visit(Entry{&rule, entry, &base});
    return false;
  });
}

template <typename Visit>
void PlanRules::VisitEntries(const PathRuleList& rules, Access access, Visit visit) const {
  for (const std::span<const PathRule> list : rules) {
    for (const PathRule& rule : list) VisitEntries(rule, access, visit);
  }
}

}  // namespace ringfence
