#include "hook/denials.h"

#include <algorithm>

#include "base/text.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/evaluate/evaluate_url.h"
#include "policy/evaluate/text_kind.h"

namespace ringfence {
namespace {

// The program chose the path, so the denial must not advise the user to permit it.
Denial DenialOf(const Named& named, Decision decision) {
  if (decision.verdict == Verdict::kAsk) {
    decision.verdict = Verdict::kDeny;
    decision.cause->why += ", and a running command cannot ask";
  }
  decision.cause->remedy.clear();
  return {named, std::move(decision)};
}

bool IsByDenyList(const Decision& decision) {
  return decision.cause->place && decision.cause->place->pointer.ends_with("/deny");
}

// The mildest verdict that stops the call.
Verdict LeastVerdict(bool confined) { return confined ? Verdict::kAsk : Verdict::kDeny; }

struct Question {
  const Event& event;
  const Surroundings& around;
  bool confined;
};

std::optional<Denial> DecideAccess(const Named& named, Access access, const Question& question) {
  Decision decision = DecidePath(question.event, named.text, access, question.around);
  const bool is_stopped = decision.verdict >= LeastVerdict(question.confined);
  if (decision.failure || !is_stopped || !decision.cause) return {};
  // A path that merely does not exist was not denied.
  if (named.kind == Named::Kind::kHidden && !IsByDenyList(decision)) return {};
  return DenialOf(named, std::move(decision));
}

std::optional<Denial> DecideHost(const Named& named, const Policy& policy, bool confined) {
  const std::string url = "https://" + named.text;
  NameDecision outcome = EvaluateUrl(url, policy);
  Decision decision{.verdict = outcome.verdict, .cause = std::move(outcome.cause)};
  const bool has_network = policy.network && policy.network->opens_sandbox;
  if (confined && !has_network) {
    decision.verdict = Verdict::kDeny;
    decision.cause = Cause{"connection to " + Quote(url),
                           "the policy gives commands no network (it has no \"network\")",
                           {},
                           ""};
  }
  if (decision.verdict < LeastVerdict(confined) || !decision.cause) return {};
  return DenialOf(named, std::move(decision));
}

}  // namespace

std::optional<Denial> DecideAgain(const Named& named, const Event& event,
                                  const Surroundings& around, bool confined) {
  if (named.kind == Named::Kind::kHost) return DecideHost(named, around.policy, confined);
  if (RefusedText(named.text)) return {};  // not a path that the kernel was asked for
  const Question question{event, around, confined};
  if (named.kind != Named::Kind::kWritten) {
    auto read = DecideAccess(named, Access::kRead, question);
    if (read || named.kind == Named::Kind::kHidden) return read;
  }
  return DecideAccess(named, Access::kWrite, question);
}

std::vector<Denial> DenialsOf(const Event& event, const Surroundings& around, bool confined) {
  std::vector<Denial> denials;
  for (const Named& named : NamesInFailure(event.failure)) {
    std::optional<Denial> denial = DecideAgain(named, event, around, confined);
    if (!denial) continue;
    const auto is_same = [&](const Denial& other) {
      return other.decision.cause == denial->decision.cause;
    };
    if (std::ranges::none_of(denials, is_same)) denials.push_back(std::move(*denial));
  }
  return denials;
}

}  // namespace ringfence
