#include "policy/evaluate/evaluate_host.h"

#include <algorithm>
#include <string>

#include "base/add_once.h"
#include "base/text.h"
#include "policy/evaluate/fix.h"
#include "policy/evaluate/upstream_route.h"
#include "policy/rules/domain.h"
#include "policy/rules/own_loopback.h"

namespace ringfence {
namespace {

HostDecision DeniedHost(std::string why, std::optional<RulePlace> place = {}) {
  return {{Verdict::kDeny, Cause{"", std::move(why), place}}};
}

std::string HostText(const HostRule& wanted) {
  if (wanted.any) return "*";
  return (wanted.subdomains ? "*." : "") + std::string(wanted.host);
}

// Returns the host as an entry that permits this port.
std::string EntryText(const HostRule& wanted) {
  return HostText(wanted) + (IsWebPort(wanted.port) ? "" : ":" + std::to_string(wanted.port));
}

// Returns the ports at which the list permits the host.
std::vector<uint16_t> PortsOf(const HostRule& wanted, const HostList& list) {
  std::vector<uint16_t> ports;
  for (const HostRule& rule : list.allow) {
    if (!CoversName(rule, wanted)) continue;
    AddOnce(ports, rule.port == 0 ? uint16_t{80} : rule.port);
    if (rule.port == 0) AddOnce(ports, uint16_t{443});
  }
  std::ranges::sort(ports);
  return ports;
}

std::string WhyUnlisted(const HostRule& wanted, const HostList& list) {
  const std::string host = "the host " + Quote(HostText(wanted));
  const std::vector<uint16_t> ports = PortsOf(wanted, list);
  if (ports.empty()) return host + (NeedsOwnEntry(wanted) ? " has no entry" : " is not listed");
  std::string words = ports.size() == 1 ? "port " : "ports ";
  for (const uint16_t port : ports) {
    if (port != ports.front()) words += port == ports.back() ? " and " : ", ";
    words += std::to_string(port);
  }
  return host + " is listed for " + words + " only";
}

// `list` may be null: no list of the user's own has been found.
HostDecision DeniedLoopback(const HostRule& wanted, const HostList* list, const Policy& policy) {
  std::optional<RulePlace> place;
  if (list != nullptr) place = list->place;
  HostDecision decision =
      DeniedHost(WhyUnlisted(wanted, list == nullptr ? HostList{} : *list), place);
  decision.cause->host = HostText(wanted) + ":" + std::to_string(wanted.port);
  decision.cause->remedy = HostLoopbackFix(policy, place, wanted.port);
  return decision;
}

HostDecision EvaluateUnlisted(const HostRule& wanted, const HostList& list, const Policy& policy) {
  if (wanted.host == kHostLoopback) return DeniedLoopback(wanted, &list, policy);
  const bool needs_entry = NeedsOwnEntry(wanted);
  if (list.unlisted == Unlisted::kAllow && !needs_entry) return {};
  HostDecision decision = DeniedHost(WhyUnlisted(wanted, list), list.place);
  decision.cause->host = HostText(wanted);
  if (list.unlisted == Unlisted::kAsk && !needs_entry) {
    decision.verdict = Verdict::kAsk;
    return decision;
  }
  // No command: the program that was refused may be hostile, and the user may not know what it is.
  const std::optional<Address> address = ParseAddress(wanted.host);
  if (address && MayGiveCredentials(*address)) {
    decision.cause->why += "; clouds give credentials there to whoever asks";
  } else {
    decision.cause->remedy = AllowFix(policy, list.place, HostWords(EntryText(wanted)));
  }
  return decision;
}

const HostRule* Noted(const HostRule& rule, Trace* trace) {
  if (trace != nullptr) AddOnce(trace->rules, RuleUse{rule.place, std::string(rule.written)});
  return &rule;
}

// `wanted` has one port, and no deny list names it.
HostDecision EvaluateLists(const HostRule& wanted, const Policy& policy, Trace* trace) {
  const bool is_loopback = wanted.host == kHostLoopback;
  HostDecision worst;
  for (const HostList& list : policy.network->lists) {
    if (is_loopback && list.of_project) continue;
    const auto covers = [&](const HostRule& rule) { return Covers(rule, wanted); };
    if (const auto rule = std::ranges::find_if(list.allow, covers); rule != list.allow.end()) {
      const HostRule* permits = Noted(*rule, trace);
      if (worst.verdict == Verdict::kPermit) worst.rule = permits;
      continue;
    }
    HostDecision decision = EvaluateUnlisted(wanted, list, policy);
    // Of equal verdicts, keeps the last. `ringfence allow` cannot change its list, and adding the
    // host to the first list alone would not help.
    const bool counts = decision.verdict != Verdict::kPermit && decision.verdict >= worst.verdict;
    if (counts) worst = std::move(decision);
  }
  if (!is_loopback || worst.rule != nullptr || worst.cause) return worst;
  // Only a project's lists are left, and none of them can permit it.
  return DeniedLoopback(wanted, nullptr, policy);
}

bool CoversUpstream(const HostRule& wanted, const NetworkRules& network) {
  if (!network.upstream) return false;
  return Overlaps({.host = network.upstream->host, .port = network.upstream->port}, wanted);
}

// `wanted` has one port.
HostDecision EvaluatePort(const HostRule& wanted, const Policy& policy, Trace* trace) {
  if (CoversUpstream(wanted, *policy.network)) {
    return DeniedHost("it" + std::string(kIsUpstream), policy.network->upstream->place);
  }
  for (const HostRule& rule : policy.network->deny) {
    if (!Overlaps(rule, wanted)) continue;
    const std::string by = rule.place.quotable ? Quote(rule.written) : "the project's policy";
    HostDecision denied = DeniedHost("denied by " + by, rule.place);
    denied.rule = Noted(rule, trace);
    return denied;
  }
  return EvaluateLists(wanted, policy, trace);
}

// `wanted` is one host, or all hosts that "*.host" or "*" covers.
HostDecision EvaluateWanted(HostRule wanted, const Policy& policy, Trace* trace) {
  if (wanted.port != 0) return EvaluatePort(wanted, policy, trace);
  wanted.port = 443;
  HostDecision decision = EvaluatePort(wanted, policy, trace);
  wanted.port = 80;
  HostDecision other = EvaluatePort(wanted, policy, trace);
  return other.verdict > decision.verdict ? other : decision;
}

// Returns the text with the brackets of an IPv6 address, and without its zone.
std::string WithBrackets(std::string_view host) {
  if (!IsBareAddress(host)) return std::string(host);
  return "[" + std::string(host.substr(0, host.find('%'))) + "]";
}

std::string ConnectionText(const std::string& host, uint16_t port) {
  return port == 0 ? host : host + ":" + std::to_string(port);
}

const PrivateRule* RuleFor(const HostRule& wanted, const Address& address,
                           const std::vector<PrivateRule>& rules) {
  const auto permits = [&](const PrivateRule& rule) {
    const auto holds = [&](const AddressRange& range) { return range.Contains(address); };
    return Covers(rule.host, wanted) && std::ranges::any_of(rule.ranges, holds);
  };
  const auto rule = std::ranges::find_if(rules, permits);
  return rule == rules.end() ? nullptr : &*rule;
}

// Returns the file whose network.private lacks an address: that of the list `missing`, or else the
// one that lists hosts.
std::string FileOfPrivate(const PrivateList* missing, const Policy& policy) {
  constexpr std::string_view kUnknown = "the policy";
  if (missing != nullptr) return std::string(missing->place.file);
  if (!policy.network || policy.network->lists.empty()) return std::string(kUnknown);
  const RulePlace& list = policy.network->lists.front().place;
  return std::string(AllowChanges(list) ? list.file : kUnknown);
}

// Returns the cause for an address that is in no range of `list`, or of no list at all.
Cause PrivateCause(const HostRule& wanted, const Address& address, const PrivateList* list,
                   const Policy& policy) {
  Cause cause{"", ", and no entry of network.private has it"};
  if (list != nullptr) {
    cause.place = list->rules.empty() ? list->place : list->rules.front().host.place;
  }
  if (cause.place && !AllowChanges(*cause.place)) {
    cause.remedy = AllowFix(policy, cause.place, "");
  } else if (KindOfAddress(address) == AddressKind::kPrivate) {
    cause.remedy = "Ask the user to add " + Quote(HostText(wanted)) + ": [" +
                   Quote(AddressRangeText({.first = address})) + "] to network.private of " +
                   FileOfPrivate(list, policy) + ".";
  }
  return cause;
}

AddressDecision EvaluatePrivate(const HostRule& wanted, const Address& address,
                                const Policy& policy) {
  AddressDecision decision;
  const PrivateList* missing = nullptr;
  if (policy.network) {
    for (const PrivateList& list : policy.network->private_lists) {
      missing = &list;
      decision.rule = RuleFor(wanted, address, list.rules);
      if (decision.rule == nullptr) break;
    }
  }
  if (decision.rule != nullptr) return decision;
  decision.verdict = Verdict::kDeny;
  decision.cause = PrivateCause(wanted, address, missing, policy);
  return decision;
}

std::optional<RulePlace> PlaceOfUsersList(const Policy& policy) {
  if (!policy.network || policy.network->lists.empty()) return {};
  const HostList& list = policy.network->lists.front();
  return list.of_project ? std::nullopt : std::optional(list.place);
}

// The remedy for a connection to a port of this machine by another name. There is none if the owner
// of the name pointed it here: that must not make ringfence advise the user to open a port.
std::string OtherNameFix(const HostRule& wanted, const Policy& policy) {
  if (!IsOwnLoopback(wanted)) return "";
  const uint16_t port = wanted.port;
  if (policy.network && EvaluateHost(kHostLoopback, port, policy).verdict == Verdict::kPermit) {
    return "Connect to " + Quote(ConnectionText(std::string(kHostLoopback), port)) + " instead.";
  }
  return HostLoopbackFix(policy, PlaceOfUsersList(policy), port);
}

// `wanted` is one host at a port. Causes continue "its address is private".
AddressDecision EvaluateKind(const HostRule& wanted, const Address& address, const Policy& policy) {
  const AddressKind kind = KindOfAddress(address);
  const auto deny = [](std::string why, std::string remedy) {
    return AddressDecision{{Verdict::kDeny, Cause{"", std::move(why), {}, std::move(remedy)}}};
  };
  if (wanted.host == kHostLoopback) {
    return kind == AddressKind::kLoopback ? AddressDecision{} : deny("", "");
  }
  const bool is_literal = ParseAddress(wanted.host) == address;
  switch (kind) {
    case AddressKind::kPublic:
      return {};
    case AddressKind::kPrivate:
    case AddressKind::kLinkLocal:
      return is_literal ? AddressDecision{} : EvaluatePrivate(wanted, address, policy);
    case AddressKind::kMetadata:
      if (is_literal) return {};
      return deny(": only an entry for the address itself permits it", "");
    case AddressKind::kLoopback:
      return deny(": only host.ringfence leads to this machine", OtherNameFix(wanted, policy));
    case AddressKind::kUnusable:
      break;
  }
  return deny("", "");
}

}  // namespace

void NameConnection(NameDecision& decision, std::string_view text) {
  if (decision.cause) decision.cause->what = "connection to " + Quote(text);
}

HostDecision EvaluateHost(std::string_view host, uint16_t port, const Policy& policy,
                          Trace* trace) {
  if (!policy.network) return {};
  const std::string written = WithBrackets(host);
  const Result<std::string> plain = PlainHost(written);
  HostDecision decision;
  if (!plain) {
    decision = DeniedHost("it " + plain.error().what);
  } else if (IsReservedName(*plain)) {
    decision = DeniedHost("it is a reserved name");
  } else {
    decision = EvaluateWanted({.host = *plain, .port = port}, policy, trace);
  }
  NameConnection(decision, ConnectionText(written, port));
  return decision;
}

HostDecision EvaluateHosts(std::string_view text, const Policy& policy, Trace* trace) {
  if (!policy.network) return {};
  const std::string lower = LowerAscii(text);
  const Result<HostRule> wanted = ParseHostRule(lower);
  HostDecision decision =
      wanted ? EvaluateWanted(*wanted, policy, trace) : DeniedHost("it " + wanted.error().what);
  NameConnection(decision, text);
  return decision;
}

AddressDecision EvaluateAddress(std::string_view host, uint16_t port, const Address& address,
                                const Policy& policy) {
  const std::string written = WithBrackets(host);
  const Result<std::string> plain = PlainHost(written);
  const std::string name = plain ? *plain : "";
  AddressDecision decision = EvaluateKind({.host = name, .port = port}, address, policy);
  NameConnection(decision, ConnectionText(written, port));
  if (decision.cause) {
    const std::string_view kind = AddressKindName(KindOfAddress(address));
    decision.cause->why.insert(0,
                               "its address " + AddressText(address) + " is " + std::string(kind));
  }
  return decision;
}

NameDecision EvaluateOwnAddress(std::string_view host, uint16_t port, const Address& address,
                                const Policy& policy) {
  const std::string own = AddressText(address);
  NameDecision decision = EvaluateHost(own, port, policy);
  NameConnection(decision, ConnectionText(WithBrackets(host), port));
  if (decision.cause) {
    decision.cause->why.insert(0, "its address " + own + " is this machine's own, and ");
  }
  return decision;
}

std::vector<uint16_t> PortsOfEntries(const NetworkRules& rules) {
  std::vector<uint16_t> ports;
  for (const HostList& list : rules.lists) {
    for (const HostRule& rule : list.allow) {
      if (rule.port != 0) AddOnce(ports, rule.port);
    }
  }
  std::ranges::sort(ports);
  return ports;
}

}  // namespace ringfence
