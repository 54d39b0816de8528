#include "policy/evaluate/call_verdict.h"

#include <utility>

namespace ringfence {
namespace {

constexpr size_t kMaxPaths = 8;  // recorded for the log

}  // namespace

void CallVerdict::Take(Verdict verdict, std::optional<Cause> cause) {
  if (verdict <= decision_.verdict) return;
  decision_.verdict = verdict;
  decision_.cause = std::move(cause);
}

void CallVerdict::Take(PathDecision decision, Access access) {
  for (const Path& end : decision.ends) {
    if (decision_.paths.size() < kMaxPaths) decision_.paths.push_back(end.text());
  }
  asks_about_write_ |= access == Access::kWrite && decision.verdict == Verdict::kAsk;
  Take(decision.verdict, std::move(decision.cause));
}

void CallVerdict::Deny(std::string what, std::string why, std::string remedy) {
  Take(Verdict::kDeny, Cause{std::move(what), std::move(why), {}, std::move(remedy)});
}

void CallVerdict::RefuseQuestion(std::string remedy) {
  decision_.verdict = Verdict::kDeny;
  if (decision_.cause) decision_.cause->remedy = std::move(remedy);
}

Decision CallVerdict::Finish(bool say_allow) && {
  decision_.say_allow = say_allow;
  return std::move(decision_);
}

}  // namespace ringfence
