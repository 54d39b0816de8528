#include "policy/evaluate/call_verdict.h"

#include <utility>

namespace ringfence {
namespace {

constexpr size_t kMaxPaths = 8;  // recorded for the log

}  // namespace

void CallVerdict::Take(Verdict verdict, std::optional<Cause> cause) {
  if (verdict <= decision.verdict) return;
  decision.verdict = verdict;
  decision.cause = std::move(cause);
}

void CallVerdict::Take(PathDecision outcome, Access access) {
  for (const Path& end : outcome.ends) {
    if (decision.paths.size() < kMaxPaths) decision.paths.push_back(end.text());
  }
  asks_about_write |= access == Access::kWrite && outcome.verdict == Verdict::kAsk;
  Take(outcome.verdict, std::move(outcome.cause));
}

void CallVerdict::Deny(std::string what, std::string why, std::string remedy) {
  Take(Verdict::kDeny, Cause{std::move(what), std::move(why), {}, std::move(remedy)});
}

}  // namespace ringfence
