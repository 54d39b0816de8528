#include "hook/denials.h"

#include <algorithm>

#include "base/add_once.h"
#include "base/text.h"
#include "policy/evaluate/evaluate_connection.h"
#include "policy/evaluate/evaluate_tool.h"
#include "policy/evaluate/evaluate_url.h"
#include "policy/evaluate/text_kind.h"
#include "policy/rules/domain.h"
#include "policy/rules/own_loopback.h"
#include "policy/sandbox_network.h"

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
Verdict LeastVerdict(ProgramSandbox sandbox) {
  return sandbox == ProgramSandbox::kNone ? Verdict::kDeny : Verdict::kAsk;
}

struct Question {
  const Event& event;
  const Surroundings& around;
  ProgramSandbox sandbox;
};

std::optional<Denial> DecideAccess(const Named& named, Access access, const Question& question) {
  Decision decision = DecidePath(question.event, named.text, access, question.around);
  const bool is_stopped = decision.verdict >= LeastVerdict(question.sandbox);
  if (decision.failure || !is_stopped || !decision.cause) return {};
  // A path that merely does not exist was not denied.
  if (named.kind == Named::Kind::kHidden && !IsByDenyList(decision)) return {};
  return DenialOf(named, std::move(decision));
}

// Many programs do not say at which port they failed. Such a host counts as refused only if it is
// at every port that the policy knows; the decision is the one for 443.
template <typename Evaluate>
NameDecision DecideAtPorts(const std::string& host, const NetworkRules& network,
                           Evaluate evaluate) {
  std::vector<uint16_t> ports = PortsOfEntries(network);
  AddOnce(ports, uint16_t{80});
  for (const uint16_t port : ports) {
    NameDecision at_port = evaluate(host, port);
    if (at_port.verdict == Verdict::kPermit) return at_port;
  }
  return evaluate(host, 443);
}

template <typename Evaluate>
NameDecision DecideNamed(const std::string& text, const Policy& policy, Evaluate evaluate) {
  const Result<HostPort> read = ParseHostPort(text);
  if (!read) return EvaluateAuthority(text, policy);
  NameDecision decision = read->port != 0 ? evaluate(read->host, read->port)
                                          : DecideAtPorts(read->host, *policy.network, evaluate);
  NameConnection(decision, text);
  return decision;
}

// For a program that ringfence does not confine: another sandbox may have refused the host, but
// nothing here knows.
std::optional<Denial> DecideHost(const Named& named, const Policy& policy) {
  if (!policy.network) return {};
  NameDecision outcome = DecideNamed(
      named.text, policy,
      [&](const std::string& host, uint16_t port) { return EvaluateHost(host, port, policy); });
  if (outcome.verdict < Verdict::kDeny) return {};
  return DenialOf(named, {.verdict = outcome.verdict, .cause = std::move(outcome.cause)});
}

// True if the launcher of a command prints a line for each host that its sandbox refuses. Other
// messages about hosts then have other causes.
bool HasLineForEachHost([[maybe_unused]] const Policy& policy,
                        [[maybe_unused]] ProgramSandbox sandbox) {
#ifdef __linux__
  return sandbox == ProgramSandbox::kCommands && policy.sandbox.layers == SandboxLayers::kFull &&
         policy.sandbox.missing == SandboxMissing::kRefuse;
#else
  return false;
#endif
}

// In a sandbox the remedy stays: its launcher has already printed it for this host.
std::optional<Denial> DecideConfinedHost(const Named& named, const Policy& policy,
                                         ProgramSandbox sandbox) {
  Policy inside = policy;
  inside.network = SandboxNetwork(policy, IsAgents(sandbox));
  Decision decision{.verdict = Verdict::kDeny};
  if (!inside.network) {
    decision.cause = NoNetworkCause(named.text, policy);
    return Denial{named, std::move(decision)};
  }
  if (IsHostNetwork(*inside.network)) return {};
  if (!named.is_ours && HasLineForEachHost(policy, sandbox)) return {};
  // The sandbox has a loopback of its own, where nothing is refused: its server is not there.
  const Result<HostPort> read = ParseHostPort(named.text);
  if (read && IsOwnLoopback({.host = read->host})) return {};
  NameDecision outcome =
      DecideNamed(named.text, inside, [&](const std::string& host, uint16_t port) {
        NameDecision at_port = EvaluateConnection(host, port, inside);
        // The hook does not know the id that the launcher has given the agent.
        if (IsAgents(sandbox)) SuggestSession(at_port, port, inside, "");
        return at_port;
      });
  if (outcome.verdict == Verdict::kPermit) return {};
  decision.cause = std::move(outcome.cause);
  return Denial{named, std::move(decision)};
}

}  // namespace

std::optional<Denial> DecideAgain(const Named& named, const Event& event,
                                  const Surroundings& around, ProgramSandbox sandbox) {
  if (named.kind == Named::Kind::kHost) {
    return sandbox == ProgramSandbox::kNone ? DecideHost(named, around.policy)
                                            : DecideConfinedHost(named, around.policy, sandbox);
  }
  if (RefusedText(named.text)) return {};  // not a path that the kernel was asked for
  const Question question{event, around, sandbox};
  if (named.kind != Named::Kind::kWritten) {
    auto read = DecideAccess(named, Access::kRead, question);
    if (read || named.kind == Named::Kind::kHidden) return read;
  }
  return DecideAccess(named, Access::kWrite, question);
}

std::vector<Denial> DenialsOf(const Event& event, const Surroundings& around,
                              ProgramSandbox sandbox) {
  std::vector<Denial> denials;
  for (const Named& named : NamesInFailure(event.failure)) {
    std::optional<Denial> denial = DecideAgain(named, event, around, sandbox);
    if (!denial) continue;
    const auto is_same = [&](const Denial& other) {
      return other.decision.cause == denial->decision.cause;
    };
    if (std::ranges::none_of(denials, is_same)) denials.push_back(std::move(*denial));
  }
  return denials;
}

}  // namespace ringfence
