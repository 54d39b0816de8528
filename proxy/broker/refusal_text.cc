#include "proxy/broker/refusal_text.h"

#include <string_view>

#include "policy/decision.h"
#include "policy/evaluate/evaluate_connection.h"

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

RefusalText AgentsRefusalTextOf(const NameDecision& decision, uint16_t port, const Policy& policy,
                                const std::string& session) {
  NameDecision inside = decision;
  SuggestSession(inside, port, policy, session);
  return {Sentence(*decision.cause), Sentence(*inside.cause)};
}

}  // namespace ringfence
