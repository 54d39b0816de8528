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
  void AddNames(const std::vector<PlannedPlace>& places, GuardedNames& names);

  // Returns the places that every allow list covers. For a pattern, the place is the directory that
  // it begins in; AllowOnly() limits it to the matching names. Whether a readable place is itself
  // denied is not checked: see RefusesReading().
  std::vector<PlannedPlace> AllowedPlaces(Access access) const;
  bool RefusesReading(const Path& place) const;

  // True if a command may create or replace `path`, which is resolved.
  bool MayBeWritten(const Path& path) const { return matcher_.MayBeWritten(path); }

  // Limits places that are only part of a directory to the names that the lists and `others` cover.
  void AllowOnly(const std::vector<GuardedName>& others, GuardedNames& names) const;

  // Returns existing places that may not be read. Searches below `folders` for "anywhere" patterns.
  // Ask rules count as denials, since the user cannot answer for a command. The directories `made`
  // are treated as existing. Fails if there are too many names to search.
  Result<std::vector<HiddenPlace>> HiddenPlaces(const std::vector<Path>& folders,
                                                const std::vector<Path>& made);

  // Returns paths of `names` that exist now and need no pattern; none is inside another.
  std::vector<Path> SealedPaths(const GuardedNames& names) const;

  // Returns notes for the user about rules that are not fully enforced.
  std::vector<std::string> TakeNotes() { return std::move(notes_); }

 private:
  // Returns the rules that ask about reading and also apply to commands: all but @dotenv, whose
  // files programs may read.
  PathRuleList ReadAsks() const;
  const PathRules& RulesFor(Access access) const {
    return access == Access::kRead ? policy_.read : policy_.write;
  }
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
  std::vector<Candidate> InEveryList(Access access) const;

  bool MayExist(CachedFiles::Folder& base, std::string_view below) const;

  class Hider;
  class NameAdder;

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

// --- parts of MakePlan() ---

// Plans where the changes to the project go. Fails if they cannot be kept apart from it here.
Status PlanStage(const PlanRequest& request, SandboxPlan& plan);

// Fills readable, writable, sealed, hidden, sockets and names of `plan`, whose command, mode and
// layers are set. Fails if the file system or the host cannot be queried, or if --write or
// read.deny cannot be honored.
Status PlanPlaces(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan);
// Plans what the command may read, and what is hidden from it. Requires the writable places.
Status PlanReads(const PlanRequest& request, PlanRules& rules, SandboxPlan& plan);

}  // namespace ringfence
