#include "policy/evaluate/evaluate_connection.h"

#include <optional>
#include <string>

#include "base/text.h"
#include "policy/decision.h"
#include "policy/rules/address.h"

namespace ringfence {

HostDecision EvaluateConnection(std::string_view host, uint16_t port, const Policy& policy,
                                Trace* trace) {
  HostDecision decision;
  if (policy.network) {
    decision = EvaluateHost(host, port, policy, trace);
  } else {
    decision.verdict = Verdict::kDeny;
    decision.cause = Cause{"connection to " + Quote(std::string(host) + ":" + std::to_string(port)),
                           "the policy permits no network"};
  }
  const std::optional<Address> address = ParseAddress(host);
  if (decision.verdict == Verdict::kPermit && address) {
    static_cast<NameDecision&>(decision) = EvaluateAddress(host, port, *address, policy);
  }
  if (decision.verdict == Verdict::kAsk) decision.verdict = Verdict::kDeny;
  return decision;
}

}  // namespace ringfence
