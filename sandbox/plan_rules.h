// PlanRules: a policy's path rules as the places and names of a plan. Links in a rule's path are
// resolved once, when the plan is made, in the same way as in the hook (RuleMatcher).
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

  // Adds every name at, below or above one of `places` that may not be written: denied, to be asked
  // about, or protected by ringfence. Nothing is writable elsewhere.
  void AddNames(const PathRules& write, const std::vector<PlannedPlace>& places,
                GuardedNames& names);

  // Returns the ask rules that also apply to commands: all but @dotenv, whose files programs may
  // read.
  static PathRuleList AsksOfCommands(const PathRuleList& asks);

  // Returns the writable places: those that every list covers. For a pattern, the place is the
  // directory that it begins in; AllowOnly() limits it to the matching names.
  std::vector<PlannedPlace> WritablePlaces(const PathRules& write) const;
  // Returns the readable places, without checking the places themselves: see RefusesReading().
  std::vector<PlannedPlace> ReadablePlaces(const PathRules& read) const;
  bool RefusesReading(const PathRules& read, const Path& place) const;

  // True if a command may create or replace `path`, which is resolved.
  bool MayBeWritten(const Path& path) const { return matcher_.MayBeWritten(path); }

  // Limits places that are only part of a directory to the names that the lists and `others` cover.
  void AllowOnly(const PathRules& write, const std::vector<GuardedName>& others,
                 GuardedNames& names) const;

  // Returns existing places that may not be read. Searches below `folders` for "anywhere" patterns.
  // Ask rules count as denials, since the user cannot answer for a command. The directories `made`
  // are treated as existing. Fails if there are too many names to search.
  Result<std::vector<HiddenPlace>> HiddenPlaces(const PathRules& read,
                                                const std::vector<Path>& folders,
                                                const std::vector<Path>& made);

  // Returns paths of `names` that exist now and need no pattern; none is inside another.
  std::vector<Path> SealedPaths(const GuardedNames& names) const;

  // Returns notes for the user about rules that are not fully enforced.
  std::vector<std::string> TakeNotes() { return std::move(notes_); }

 private:
  // `"docs/adr" (policy.json:6 /write/deny)`
  std::string TextOf(const PathRule& rule) const;
  uint32_t LineOfRule(const PathRule& rule) const;

  using Base = RuleMatcher::Base;
  const Base& Slash() const;
  // An entry of a rule, with one of its base directories.
  struct Entry {
    const PathRule* rule = nullptr;
    SetEntry entry;
    const Base* base = nullptr;

    bool is_anywhere() const { return entry.base == RuleBase::kAnywhere; }
    EntryPrefix FixedPrefix() const { return ringfence::FixedPrefix(entry, base->path); }
  };
  // Calls `visit` with each entry that the rules expand to.
  template <typename Visit>
  void VisitEntries(const PathRule& rule, Access access, Visit visit) const;
  template <typename Visit>
  void VisitEntries(const PathRuleList& rules, Access access, Visit visit) const;
  std::vector<Entry> AllowedEntries(const PathRuleList& rules, Access access) const;

  // A place that an allow entry leads to.
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

  // Positions of the places relative to a base directory, which many names share.
  struct View {
    const Base* base = nullptr;
    bool is_inside = false;          // the base is inside one of the places
    std::vector<std::string> below;  // places below the base: relative paths, folded
  };
  std::vector<View> ViewsOf(const std::vector<PlannedPlace>& places) const;
  static bool IsNear(const std::vector<View>& views, const Base& base, std::string_view name);
  static View ViewOf(const std::vector<PlannedPlace>& places, const Base& base);
  // Input for a GuardedName. Uses views, since most of the hundreds of home directory names produce
  // none.
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
    bool spares_root = false;  // excludes the project if a link leads to it or above it
    bool may_lead = true;      // the path may contain links
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
  // Position of the last rule whose line was looked up. A policy can have many rules, and they are
  // mostly looked up in order.
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
