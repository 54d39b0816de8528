#include "proxy/broker/refusal_text.h"

#include <string_view>
#include <utility>

#include "policy/decision.h"
#include "policy/evaluate/fix.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

std::string Sentence(const Cause& cause) {
  const std::string text = WholeReasonText({.verdict = Verdict::kDeny, .cause = cause}, "");
  return text.substr(std::string_view("ringfence: ").size());
}

}  // namespace

RefusalText RefusalTextOf(const NameDecision& decision) {
  const std::string sentence = Sentence(*decision.cause);
  return {sentence, sentence};
}

RefusalText AgentsRefusalTextOf(const NameDecision& decision, uint16_t port, const Policy& policy) {
  Cause cause = *decision.cause;
  std::string launcher = Sentence(cause);
  const bool is_listable = !cause.host.empty() && cause.place;
  if (is_listable && !cause.host.starts_with(kHostLoopback)) {
    const std::string entry = cause.host + (IsWebPort(port) ? "" : ":" + std::to_string(port));
    const std::string fix = AllowInSessionFix(policy, *cause.place, HostWords(entry));
    if (!fix.empty()) cause.remedy = fix;
  }
  return {std::move(launcher), Sentence(cause)};
}

}  // namespace ringfence
