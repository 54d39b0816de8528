#include "run/agent_service.h"

#include <algorithm>

#include "base/text.h"
#include "policy/evaluate/evaluate_connection.h"
#include "policy/rules/domain.h"
#include "policy/sandbox_network.h"
#include "sandbox/environment.h"

namespace ringfence {
namespace {

constexpr uint16_t kHttps = 443;

bool IsOn(std::string_view value) { return !value.empty() && value != "0" && value != "false"; }

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.") ||
         host == "::1" || host == "[::1]";
}

// The service is on the loopback of this machine, which the sandbox reaches by another name.
std::string WhyLoopbackIsShut(const AgentService& service, const Agent& agent) {
  const std::string port = std::to_string(service.port);
  const std::string other = std::string(kHostLoopback) + ":" + port;
  return std::string(agent.variables.service) + " names " + Quote(service.target()) +
         ", and the sandbox has a loopback of its own. Name " + other +
         " instead, and list it in the \"network\" section of ~/.config/ringfence/policy.json: "
         "\"allow\": [\"@agent-hosts\", " +
         Quote(other) + "]";
}

}  // namespace

AgentService ServiceOf(const SandboxCommand& command, const Agent& agent) {
  if (!command.is_agent) return {};
  const AgentVariables& variables = agent.variables;
  for (const std::string_view name : variables.services) {
    if (IsOn(EnvironmentValue(command.environment, name))) return {};
  }
  const std::string_view named = EnvironmentValue(command.environment, variables.service);
  if (named.empty()) return {std::string(agent.service), kHttps};
  const Result<Url> url = ParseUrl(named);
  if (!url || url->host.empty()) return {};
  return {url->host, url->port};
}

std::string WhyServiceIsShut(const AgentService& service, const RunRequest& request,
                             const SandboxPlan& plan) {
  if (service.host.empty() || !plan.is_confined() || plan.network.is_hosts()) return "";
  if (IsLoopback(service.host) && !plan.is_nested) {
    return WhyLoopbackIsShut(service, *request.policy.agent);
  }
  if (!plan.network.is_proxied()) return "";
  Policy policy = request.policy;
  policy.network = SandboxNetwork(policy, request.command.is_agent);
  const HostDecision decision = EvaluateConnection(service.host, service.port, policy);
  if (decision.verdict == Verdict::kPermit || !decision.cause) return "";
  return RefusalSentence(*decision.cause);
}

}  // namespace ringfence
