#include "policy/evaluate/evaluate_connection.h"

#include <optional>
#include <string>

#include "base/text.h"
#include "policy/decision.h"
#include "policy/evaluate/fix.h"
#include "policy/rules/address.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

// The words for `ringfence allow`, if a list lacks the host.
std::string EntryWords(const NameDecision& decision, uint16_t port) {
  const std::string& host = decision.cause->host;
  return HostWords(host + (IsWebPort(port) ? "" : ":" + std::to_string(port)));
}

// The address of a host that is looked up nowhere.
std::optional<Address> KnownAddress(std::string_view host) {
  const Result<std::string> plain = PlainHost(host);
  if (!plain) return {};
  return ParseAddress(IsLocalhost(*plain) ? "127.0.0.1" : *plain);
}

// False for hosts that an entry would not open to a command, and for those that no reason suggests.
bool MayBeAllowed(const HostRule& rule) {
  const std::optional<Address> address = KnownAddress(rule.host);
  if (!address) return true;
  const AddressKind kind = KindOfAddress(*address);
  return kind == AddressKind::kPublic || kind == AddressKind::kPrivate;
}

// True if no entry of an allow list would permit the host.
bool IsFinal(const NameDecision& decision) {
  return decision.cause && decision.cause->host.empty();
}

}  // namespace

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
  // First: where the address is refused, an entry for the host would not help.
  const std::optional<Address> address = KnownAddress(host);
  if (address && !IsFinal(decision)) {
    NameDecision of_address = EvaluateAddress(host, port, *address, policy);
    if (of_address.cause) static_cast<NameDecision&>(decision) = std::move(of_address);
  }
  if (decision.verdict == Verdict::kAsk) {
    decision.verdict = Verdict::kDeny;
    decision.cause->why += ", and a connection cannot ask";
    decision.cause->remedy = AllowFix(policy, decision.cause->place, EntryWords(decision, port));
  }
  return decision;
}

Cause NoNetworkCause(std::string_view host, const Policy& policy) {
  Cause cause{"connection to " + Quote(host), ""};
  if (policy.network) {
    cause.why = "commands have no network: only the policy of an untrusted project has \"network\"";
    return cause;
  }
  cause.why = "commands have no network: the policy has no \"network\"";
  const std::string entry = LowerAscii(host);
  const Result<HostRule> rule = ParseHostRule(entry);
  if (rule && MayBeAllowed(*rule)) cause.remedy = AllowFix(policy, {}, HostWords(entry));
  return cause;
}

void SuggestSession(NameDecision& decision, uint16_t port, const Policy& policy,
                    const std::string& session) {
  if (!decision.cause) return;
  Cause& cause = *decision.cause;
  const bool is_listable = !cause.host.empty() && cause.place && !cause.remedy.empty();
  if (!is_listable || cause.host.starts_with(kHostLoopback)) return;
  const std::string fix =
      AllowInSessionFix(policy, *cause.place, EntryWords(decision, port), session);
  if (!fix.empty()) cause.remedy = fix;
}

}  // namespace ringfence
