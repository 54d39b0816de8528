#include "policy/evaluate/evaluate_host.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "policy/evaluate/fix.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

HostDecision DeniedHost(std::string why, std::optional<RulePlace> place = {}) {
  return {{Verdict::kDeny, Cause{"", std::move(why), place}}};
}

HostDecision EvaluateUnlisted(std::string_view host, const HostList& list, const Policy& policy) {
  HostDecision decision;
  if (list.unlisted == Unlisted::kAllow) return decision;
  decision = DeniedHost("the host " + Quote(host) + " is not listed", list.place);
  decision.cause->host = host;
  if (list.unlisted == Unlisted::kAsk) {
    decision.verdict = Verdict::kAsk;
  } else {
    decision.cause->remedy = AllowFix(policy, list.place, HostWords(host));
  }
  return decision;
}

// `wanted` is one host, or all hosts that "*.host" covers; `shown` is its name in messages.
HostDecision EvaluateWanted(const HostRule& wanted, std::string_view shown, const Policy& policy,
                            Trace* trace) {
  const NetworkRules& rules = *policy.network;
  const auto note = [&](const HostRule& rule) {
    if (trace != nullptr) trace->rules.push_back({rule.place, std::string(rule.written)});
    return &rule;
  };
  for (const HostRule& rule : rules.deny) {
    if (!Overlaps(rule, wanted)) continue;
    const std::string by = rule.place.quotable ? Quote(rule.written) : "the project's policy";
    HostDecision denied = DeniedHost("denied by " + by, rule.place);
    denied.rule = note(rule);
    return denied;
  }
  HostDecision worst;
  for (const HostList& list : rules.lists) {
    const auto covers = [&](const HostRule& rule) { return Covers(rule, wanted); };
    if (const auto rule = std::ranges::find_if(list.allow, covers); rule != list.allow.end()) {
      const HostRule* permits = note(*rule);
      if (worst.verdict == Verdict::kPermit) worst.rule = permits;
      continue;
    }
    HostDecision decision = EvaluateUnlisted(shown, list, policy);
    // Of equal verdicts, keeps the last. `ringfence allow` cannot change its list, and adding the
    // host to the first list alone would not help.
    const bool counts = decision.verdict != Verdict::kPermit && decision.verdict >= worst.verdict;
    if (counts) worst = std::move(decision);
  }
  return worst;
}

}  // namespace

void NameConnection(NameDecision& decision, std::string_view text) {
  if (decision.cause) decision.cause->what = "connection to " + Quote(text);
}

HostDecision EvaluateHost(std::string_view host, uint16_t port, const Policy& policy,
                          Trace* trace) {
  if (!policy.network) return {};
  const bool is_bare = IsBareAddress(host);
  const std::string written =
      is_bare ? "[" + std::string(host.substr(0, host.find('%'))) + "]" : std::string(host);
  const Result<std::string> plain = PlainHost(written);
  HostRule wanted;
  if (plain) wanted.host = *plain;
  wanted.port = port;
  HostDecision decision = plain ? EvaluateWanted(wanted, *plain, policy, trace)
                                : DeniedHost("it " + plain.error().what);
  NameConnection(decision, port == 0 ? written : written + ":" + std::to_string(port));
  return decision;
}

HostDecision EvaluateHosts(std::string_view text, const Policy& policy, Trace* trace) {
  if (!policy.network) return {};
  const std::string lower = LowerAscii(text);
  const Result<HostRule> wanted = ParseHostRule(lower);
  HostDecision decision = wanted ? EvaluateWanted(*wanted, text, policy, trace)
                                 : DeniedHost("it " + wanted.error().what);
  NameConnection(decision, text);
  return decision;
}

}  // namespace ringfence
