#include "policy/evaluate/path_cause.h"

#include <utility>

#include "base/text.h"

namespace ringfence {
namespace {

std::string QuotedRule(const RuleHit& hit) {
  const std::string entry = hit.entry.empty() ? "" : " (" + Printable(hit.entry) + ")";
  return Quote(hit.rule->written()) + entry;
}

Cause CauseAt(const PathQuestion& question, const RuleHit& hit, std::string why) {
  Cause cause = PlainCause(question, std::move(why));
  cause.place = hit.rule->place();
  return cause;
}

}  // namespace

Cause PlainCause(const PathQuestion& question, std::string why) {
  return Cause{std::string(question.verb) + " " + Quote(question.text), std::move(why)};
}

Cause RuleCause(const PathQuestion& question, const RuleHit& hit, std::string_view did) {
  const std::string rule = hit.rule->is_quotable() ? QuotedRule(hit) : "the project's policy";
  return CauseAt(question, hit, std::string(did) + " by " + rule);
}

Cause AskCause(const PathQuestion& question, const RuleHit& hit, bool by_name) {
  if (!hit.rule->is_quotable()) {
    return CauseAt(question, hit, "the project's policy asks about it");
  }
  const bool is_shown = by_name || hit.entry.empty();
  const std::string set =
      " (" + hit.rule->written() + (is_shown ? "" : ": " + Printable(hit.entry)) + ")";
  if (hit.rule->set == SetName::kRunsLater) {
    return CauseAt(question, hit, "it can run code later" + set);
  }
  if (hit.rule->set == SetName::kDotenv) return CauseAt(question, hit, "it may hold secrets" + set);
  return CauseAt(question, hit, "the policy asks about " + QuotedRule(hit));
}

Cause ProtectedCause(const PathQuestion& question, const Protection& protection) {
  const std::string what(protection.what);
  Cause cause = PlainCause(
      question, (protection.is_above ? "it holds " + what + ", which are" : what + " are") +
                    " protected; no policy can change that");
  cause.remedy = "Ask the user to make this change.";
  return cause;
}

}  // namespace ringfence
