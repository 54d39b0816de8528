#include "proxy/broker/refusal_text.h"

#include "policy/decision.h"
#include "policy/evaluate/evaluate_connection.h"

namespace ringfence {

RefusalText RefusalTextOf(const NameDecision& decision) {
  const std::string sentence = RefusalSentence(*decision.cause);
  return {sentence, sentence};
}

RefusalText AgentsRefusalTextOf(const NameDecision& decision, uint16_t port, const Policy& policy,
                                const std::string& session) {
  NameDecision inside = decision;
  SuggestSession(inside, port, policy, session);
  return {RefusalSentence(*decision.cause), RefusalSentence(*inside.cause)};
}

}  // namespace ringfence
