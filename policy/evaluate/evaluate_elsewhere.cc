// The part of PathEvaluator for paths that mounts show under other names.
#include "policy/evaluate/evaluate_path.h"

namespace ringfence {

// True if the mount table must be read. Reading it takes a tenth as long as the whole decision, so
// a project file in the project's own mount skips it. Another mount of a part of the project then
// goes unnoticed.
bool PathEvaluator::MayBeElsewhere(const Path& end) const {
  if (!end.IsInside(places_.root_real)) return true;
  Path there = end;
  while (there != places_.root_real) {
    const Result<FileFacts> facts = files_.Look(there);
    if (!facts) return true;
    if (facts->kind != FileKind::kMissing) break;
    there = there.Parent();
  }
  const uint64_t mount = files_.MountOf(there);
  return mount == 0 || mount != files_.MountOf(places_.root_real);
}

std::optional<Cause> PathEvaluator::DeniedElsewhere(const Question& question,
                                                    const Path& end) const {
  const PathRuleList& rules = RulesFor(question.access).deny;
  const RuleHit hit = matcher_.MatchesOtherName(rules, question.access, end);
  if (hit) return RuleCause(question, hit, "a mount shows it where it is denied");
  if (question.access == Access::kRead) return {};
  for (const MountTable::Name& name : files_.Mounts().OtherNames(end)) {
    if (const auto found = Protected().RefusesName(name.path)) {
      return ProtectedCause(question, *found);
    }
  }
  return {};
}

std::optional<Cause> PathEvaluator::AsksElsewhere(const Question& question, const Path& end) const {
  const PathRuleList& rules = RulesFor(question.access).ask;
  const RuleHit hit = matcher_.MatchesOtherName(rules, question.access, end);
  if (hit) return AskCause(question, hit, false);
  return {};
}

}  // namespace ringfence
