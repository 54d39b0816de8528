#include "policy/evaluate/judge_host.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "policy/evaluate/fix.h"
#include "policy/rules/domain.h"

namespace ringfence {
namespace {

HostJudgement DeniedHost(std::string why, std::optional<RulePlace> place = {}) {
  HostJudgement denied;
  denied.verdict = Verdict::kDeny;
  denied.cause = Cause{"", std::move(why), place, ""};
  return denied;
}

HostJudgement JudgeUnlisted(std::string_view host, const HostList& list, const Policy& policy) {
  HostJudgement judgement;
  if (list.unlisted == Unlisted::kAllow) return judgement;
  judgement = DeniedHost("the host " + Quote(host) + " is not listed", list.place);
  if (list.unlisted == Unlisted::kAsk) {
    judgement.verdict = Verdict::kAsk;
  } else {
    judgement.cause->remedy = AllowFix(policy, list.place, HostWords(host));
  }
  return judgement;
}

// `wanted` is one host, or all that "*.host" means; `shown` is how messages name it.
HostJudgement JudgeWanted(const HostRule& wanted, std::string_view shown, const Policy& policy,
                          Trace* trace) {
  const NetworkRules& rules = *policy.network;
  const auto note = [&](const HostRule& rule) {
    if (trace != nullptr) trace->rules.push_back({rule.place, std::string(rule.written)});
    return &rule;
  };
  for (const HostRule& rule : rules.deny) {
    if (!Overlaps(rule, wanted)) continue;
    const std::string by = rule.place.quotable ? Quote(rule.written) : "the project's policy";
    HostJudgement denied = DeniedHost("denied by " + by, rule.place);
    denied.rule = note(rule);
    return denied;
  }
  HostJudgement worst;
  for (const HostList& list : rules.lists) {
    const auto covers = [&](const HostRule& rule) { return Covers(rule, wanted); };
    if (const auto rule = std::ranges::find_if(list.allow, covers); rule != list.allow.end()) {
      const HostRule* permits = note(*rule);
      if (worst.verdict == Verdict::kPermit) worst.rule = permits;
      continue;
    }
    HostJudgement judgement = JudgeUnlisted(shown, list, policy);
    // Of equal ones the last, which `ringfence allow` cannot change: to add it to the first alone
    // would not help.
    const bool counts = judgement.verdict != Verdict::kPermit && judgement.verdict >= worst.verdict;
    if (counts) worst = std::move(judgement);
  }
  return worst;
}

}  // namespace

void NameConnection(NameJudgement& judgement, std::string_view text) {
  if (judgement.cause) judgement.cause->what = "connection to " + Quote(text);
}

HostJudgement JudgeHost(std::string_view host, uint16_t port, const Policy& policy, Trace* trace) {
  if (!policy.network) return {};
  const bool is_bare = IsBareAddress(host);
  const std::string written =
      is_bare ? "[" + std::string(host.substr(0, host.find('%'))) + "]" : std::string(host);
  const Result<std::string> plain = PlainHost(written);
  HostRule wanted;
  if (plain) wanted.host = *plain;
  wanted.port = port;
  HostJudgement judgement =
      plain ? JudgeWanted(wanted, *plain, policy, trace) : DeniedHost("it " + plain.error().what);
  NameConnection(judgement, port == 0 ? written : written + ":" + std::to_string(port));
  return judgement;
}

HostJudgement JudgeHosts(std::string_view text, const Policy& policy, Trace* trace) {
  if (!policy.network) return {};
  const std::string lower = LowerAscii(text);
  const Result<HostRule> wanted = ParseHostRule(lower);
  HostJudgement judgement =
      wanted ? JudgeWanted(*wanted, text, policy, trace) : DeniedHost("it " + wanted.error().what);
  NameConnection(judgement, text);
  return judgement;
}

}  // namespace ringfence
