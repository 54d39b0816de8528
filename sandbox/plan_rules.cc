#include "sandbox/plan_rules.h"

#include <algorithm>

#include "base/text.h"
#include "policy/files/resolve.h"

namespace ringfence {
namespace {

bool IsBelowFile(const Walked& walked) {
  return walked.facts.kind == FileKind::kMissing &&
         std::ranges::any_of(walked.steps, [](const WalkStep& step) {
           return step.kind != FileKind::kMissing && step.kind != FileKind::kDirectory &&
                  step.kind != FileKind::kLink;
         });
}

}  // namespace

PlanRules::PlanRules(const PlanRequest& request)
    : command_(request.command),
      policy_(request.policy),
      places_(request.places),
      files_(request.files),
      matcher_(policy_, places_, command_.session, files_) {
  matcher_.FindMemory();
  files_.ExpectMany(places_.root_real);
}

std::string PlanRules::TextOf(const PathRule& rule) const {
  const RuleOrigin none;
  const RuleOrigin& origin = rule.origin == nullptr ? none : *rule.origin;
  std::string text = rule.is_quotable() ? Quote(rule.written()) : "a rule of the project's policy";
  text += " (" + Printable(origin.file);
  if (rule.origin != nullptr) text += ":" + std::to_string(LineOfRule(rule));
  return text + " " + Printable(origin.pointer) + ")";
}

uint32_t PlanRules::LineOfRule(const PathRule& rule) const {
  if (line_.origin != rule.origin || rule.offset < line_.offset) line_ = {.origin = rule.origin};
  const std::string_view between =
      rule.origin->text.substr(line_.offset, rule.offset - line_.offset);
  line_.number += static_cast<uint32_t>(std::ranges::count(between, '\n'));
  line_.offset = rule.offset;
  return line_.number;
}

const PlanRules::Base& PlanRules::Slash() const {
  return matcher_.BasesOf(RuleBase::kAbsolute).front();
}

// An allow list also contains ask rules. The user cannot answer for a command, so they allow
// nothing.
std::vector<PlanRules::Entry> PlanRules::AllowedEntries(const PathRuleList& rules,
                                                        Access access) const {
  const PathRuleList& asks = RulesFor(access).ask;
  const auto is_asked = [&asks](const PathRule* rule) {
    return std::ranges::any_of(asks, [rule](std::span<const PathRule> list) {
      return std::ranges::any_of(list, [rule](const PathRule& ask) { return &ask == rule; });
    });
  };
  std::vector<Entry> entries;
  VisitEntries(rules, access, [&](const Entry& e) {
    const bool counts = e.entry.base != RuleBase::kHome || MayAllowBelow(places_, e.base->path);
    if (counts && !is_asked(e.rule)) entries.push_back(e);
  });
  return entries;
}

std::vector<PlanRules::Candidate> PlanRules::Candidates(const PathRuleList& rules,
                                                        Access access) const {
  std::vector<Candidate> candidates;
  const PathRule* last = nullptr;
  std::string why;  // TextOf(*last)
  for (const Entry& e : AllowedEntries(rules, access)) {
    if (e.rule != last) why = TextOf(*e.rule);
    last = e.rule;
    const EntryPrefix prefix = e.FixedPrefix();
    Walked walked = Walk(prefix.path.text(), files_);
    if (walked.stop != Walked::Stop::kEnd) continue;  // nothing can be found there
    if (IsBelowFile(walked)) continue;                // nothing can be created there
    Candidate candidate{.path = std::move(walked.end),
                        .kind = walked.facts.kind,
                        .is_pattern = !prefix.rest.empty(),
                        .set = e.rule->set,
                        .why = why};
    // A pattern does not cover the target of a link.
    if (candidate.is_pattern && candidate.path != prefix.path) continue;
    // A path that the project does not have yet can become a file or a directory. So, like a
    // pattern's files, it is allowed by name in its parent directory.
    const bool is_new = candidate.kind == FileKind::kMissing && access == Access::kWrite;
    const bool is_root = candidate.path == places_.root_real;
    if (is_new && !is_root && e.entry.base == RuleBase::kRoot) {
      const bool counts = candidate.is_pattern ||
                          matcher_.ListsNotCovering({rules}, access, candidate.path).empty();
      if (!counts) continue;  // by a link that leaves the project or can be replaced
      UseParent(candidate);
    }
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

// Replaces `candidate` with the nearest existing directory above it, of which only a part is
// allowed. Both are in the project.
void PlanRules::UseParent(Candidate& candidate) const {
  while (candidate.kind == FileKind::kMissing && candidate.path != places_.root_real &&
         !candidate.path.is_root()) {
    candidate.path = candidate.path.Parent();
    const Result<FileFacts> facts = files_.Look(candidate.path);
    if (facts) candidate.kind = facts->kind;
  }
  candidate.is_pattern = true;
}

std::vector<PlanRules::Candidate> PlanRules::InEveryList(Access access) const {
  std::vector<Candidate> all;
  bool is_first = true;
  for (const PathRuleList& list : RulesFor(access).allow) {
    std::vector<Candidate> own = Candidates(list, access);
    if (is_first) {
      all = std::move(own);
      is_first = false;
      continue;
    }
    std::vector<Candidate> both;
    for (const Candidate& one : all) {
      for (const Candidate& other : own) {
        const bool is_narrower = one.path.IsInside(other.path);
        if (!is_narrower && !other.path.IsInside(one.path)) continue;
        Candidate narrow = is_narrower ? one : other;
        narrow.is_pattern = one.is_pattern || other.is_pattern;
        both.push_back(std::move(narrow));
      }
    }
    all = std::move(both);
  }
  return all;
}

std::vector<PlannedPlace> PlanRules::AllowedPlaces(Access access) const {
  const std::vector<PathRuleList>& allow = RulesFor(access).allow;
  std::vector<PlannedPlace> places;
  for (Candidate& candidate : InEveryList(access)) {
    const bool is_allowed =
        candidate.is_pattern || matcher_.ListsNotCovering(allow, access, candidate.path).empty();
    if (!is_allowed) continue;
    const bool is_missing = candidate.kind == FileKind::kMissing;
    if (is_missing && candidate.set != SetName::kNone) continue;
    if (candidate.path.IsInside(Path::Clean("/proc"))) continue;
    if (candidate.path == Path::Clean("/dev")) continue;  // private to the sandbox
    if (is_missing && candidate.path.IsInside(Path::Clean("/dev"))) continue;
    const bool is_directory = is_missing || candidate.kind == FileKind::kDirectory;
    places.push_back({.path = std::move(candidate.path),
                      .kind = is_directory ? PlaceKind::kDirectory : PlaceKind::kFile,
                      .make = is_missing,
                      .is_part = candidate.is_pattern,
                      .set = candidate.set,
                      .why = std::move(candidate.why)});
  }
  std::ranges::sort(places, {}, &PlannedPlace::path);
  // Of two equal paths, keeps the one that is allowed as a whole.
  std::ranges::stable_sort(
      places, {}, [](const PlannedPlace& place) { return std::pair(place.path, place.is_part); });
  const auto same_path = [](const PlannedPlace& one, const PlannedPlace& other) {
    return one.path == other.path;
  };
  places.erase(std::unique(places.begin(), places.end(), same_path), places.end());
  return places;
}

bool PlanRules::RefusesReading(const Path& place) const {
  return matcher_.MatchesName(policy_.read.deny, Access::kRead, place) ||
         matcher_.MatchesName(ReadAsks(), Access::kRead, place);
}

PathRuleList PlanRules::ReadAsks() const {
  PathRuleList binding;
  for (std::span<const PathRule> list : policy_.read.ask) {
    while (!list.empty()) {
      const auto other = std::ranges::find(list, SetName::kDotenv, &PathRule::set);
      const auto count = static_cast<size_t>(other - list.begin());
      if (count > 0) binding.push_back(list.first(count));
      list = list.subspan(std::min(count + 1, list.size()));
    }
  }
  return binding;
}

void PlanRules::AllowOnly(const std::vector<GuardedName>& others, GuardedNames& names) const {
  for (const PathRuleList& list : policy_.write.allow) {
    std::vector<GuardedName> allowed;
    for (const Entry& e : AllowedEntries(list, Access::kWrite)) {
      const EntryPrefix prefix = e.FixedPrefix();
      const Walked walked = Walk(prefix.path.text(), files_);
      if (walked.stop != Walked::Stop::kEnd) continue;
      const bool by_link = walked.end != prefix.path;
      const bool counts = prefix.rest.empty() &&
                          matcher_.ListsNotCovering({list}, Access::kWrite, walked.end).empty();
      if (by_link && !counts) continue;
      allowed.push_back({.base = walked.end.text(),
                         .tail = std::string(prefix.rest),
                         .has_pattern = !prefix.rest.empty()});
    }
    allowed.insert(allowed.end(), others.begin(), others.end());
    names.AllowOnly(std::move(allowed));
  }
}

}  // namespace ringfence
