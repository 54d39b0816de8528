#include "cli/explain/explain_host.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/common/console.h"
#include "cli/common/grant_target.h"
#include "cli/common/policies.h"
#include "policy/evaluate/evaluate_connection.h"
#include "policy/evaluate/evaluate_url.h"
#include "policy/evaluate/upstream_route.h"
#include "policy/rules/domain.h"
#include "policy/rules/own_loopback.h"
#include "policy/sandbox_network.h"

namespace ringfence {
namespace {

constexpr uint16_t kPlainPort = 80;
constexpr uint16_t kSecurePort = 443;

std::string AtPort(const std::string& host, uint16_t port) {
  return host + ":" + std::to_string(port);
}

// `policy` is that of the sandbox.
std::string HowReached(const std::string& host, uint16_t port, const Policy& policy) {
  if (IsLeftToUpstream(host, port, policy)) {
    return "through the egress proxy and the proxy of network.upstream, which looks the name up";
  }
  std::string text = "through the egress proxy";
  if (policy.sandbox.layers == SandboxLayers::kLandlock) {
    text += ", for programs that use the one of HTTPS_PROXY and the like";
  }
  if (ParseAddress(host)) return text;
  if (host == kHostLoopback) return text + ", to the loopback of this machine";
  return text +
         "; the host's addresses are looked up then: private and link-local ones count only with "
         "an entry of network.private, this machine's own only if the policy lists them, and "
         "loopback, metadata and reserved ones never";
}

class ConnectionExplainer {
 public:
  ConnectionExplainer(const HostQuestion& question, const Policy& policy)
      : question_(question), policy_(policy), inside_(policy) {
    inside_.network = SandboxNetwork(policy, false);
  }

  std::vector<ExplainedConnection> Run() const {
    if (policy_.sandbox.mode == SandboxMode::kRwx)
      return {Open("the policy's mode \"rwx\" confines no command")};
    if (!inside_.network) return {WithoutNetwork()};
    if (IsHostNetwork(*inside_.network)) return {Open(HowInHostNetwork())};
    if (question_.port != 0) return {At(question_.port, question_.text)};
    ExplainedConnection secure = At(kSecurePort, AtPort(question_.host, kSecurePort));
    ExplainedConnection plain = At(kPlainPort, AtPort(question_.host, kPlainPort));
    if (secure.decision.verdict != plain.decision.verdict) return {secure, plain};
    return {At(kSecurePort, question_.text)};
  }

 private:
  ExplainedConnection Open(std::string how) const {
    return {.target = question_.text, .how = std::move(how)};
  }

  std::string HowInHostNetwork() const {
    const bool denies = EvaluateText().verdict == Verdict::kDeny;
    return std::string("commands are in the network of this machine (\"unlisted\": \"allow\"): ") +
           (denies ? "network.deny counts there for the agent's own tools only"
                   : "nothing there refuses a host");
  }

  ExplainedConnection WithoutNetwork() const {
    ExplainedConnection explained{.target = question_.text};
    explained.decision.verdict = Verdict::kDeny;
    // A policy cannot contain a URL, or a name that ends in a dot.
    explained.decision.cause = NoNetworkCause(EntryOfQuestion(), policy_);
    explained.decision.cause->what = "connection to " + Quote(question_.text);
    Policy agents = policy_;
    agents.network = SandboxNetwork(policy_, true);
    const uint16_t port = question_.port == 0 ? kSecurePort : question_.port;
    if (EvaluateConnection(question_.host, port, agents).verdict == Verdict::kPermit) {
      explained.note = "an agent that runs confined reaches it";
    }
    return explained;
  }

  std::string EntryOfQuestion() const {
    const bool is_usual = question_.port == 0 || IsWebPort(question_.port);
    return is_usual ? question_.host : AtPort(question_.host, question_.port);
  }

  NameDecision EvaluateText() const {
    const std::string entry =
        question_.port == 0 ? question_.host : AtPort(question_.host, question_.port);
    return EvaluateHosts(entry, inside_);
  }

  ExplainedConnection At(uint16_t port, const std::string& target) const {
    ExplainedConnection explained{.target = target};
    const bool is_pattern = question_.host.starts_with('*');
    NameDecision decision =
        is_pattern ? EvaluateHosts(AtPort(question_.host, port), inside_, &explained.trace)
                   : EvaluateConnection(question_.host, port, inside_, &explained.trace);
    NameConnection(decision, target);
    explained.decision.verdict =
        decision.verdict == Verdict::kAsk ? Verdict::kDeny : decision.verdict;
    explained.decision.cause = std::move(decision.cause);
    const bool is_landlock = policy_.sandbox.layers == SandboxLayers::kLandlock;
    if (!is_landlock && IsOwnLoopback({.host = question_.host})) {
      explained.note = "a program that uses no proxy reaches the sandbox's own loopback there";
    }
    if (!explained.decision.cause) explained.how = HowReached(question_.host, port, inside_);
    return explained;
  }

  const HostQuestion& question_;
  const Policy& policy_;
  Policy inside_;
};

uint16_t PortOf(const Url& url) {
  if (url.port != 0) return url.port;
  if (url.scheme == "ssh") return 22;
  return url.scheme == "git" ? 9418 : 0;
}

Result<HostQuestion> QuestionOfUrl(HostQuestion question) {
  constexpr const char* kHint = "name the host and its port";
  const Result<Url> url = ParseUrl(question.text);
  if (!url) return UsageError(Quote(question.text), url.error().what, kHint);
  question.host = url->host;
  question.port = PortOf(*url);
  if (question.host.empty() || question.port == 0) {
    return UsageError(Quote(question.text), "is a URL without a host or a known port", kHint);
  }
  if (IsWebUrl(question.text)) question.web_url = question.text;
  return question;
}

}  // namespace

Result<HostQuestion> ReadHostQuestion(const std::string& text) {
  HostQuestion question{.text = text};
  if (IsUrl(text)) return QuestionOfUrl(std::move(question));
  const std::string lower = LowerAscii(text);
  const Result<HostRule> rule = ParseHostRule(lower);
  // Not an entry of a policy, such as "host.ringfence" without a port: the decision says why.
  const Result<HostPort> read =
      rule ? HostPort{std::string(rule->host), rule->port} : ParseHostPort(text);
  question.host = read ? read->host : text;
  question.port = read ? read->port : 0;
  if (rule && rule->any) question.host = "*";
  if (rule && rule->subdomains) question.host = "*." + question.host;
  if (question.host.starts_with('*')) return question;
  if (question.port == 0 || question.port == kSecurePort)
    question.web_url = "https://" + text + "/";
  if (question.port == kPlainPort) question.web_url = "http://" + text + "/";
  return question;
}

std::vector<ExplainedConnection> ExplainConnections(const HostQuestion& question,
                                                    const Policy& policy) {
  return ConnectionExplainer(question, policy).Run();
}

void PrintConnection(const ExplainedConnection& explained) {
  const Console console;
  const Decision& decision = explained.decision;
  const bool permitted = decision.verdict == Verdict::kPermit;
  console.Line(console.In(permitted ? Tone::kGood : Tone::kBad, VerdictName(decision.verdict)) +
               "  " + Quote(explained.target) + " from a sandboxed command");
  if (decision.cause) {
    console.Line("  " + decision.cause->what + ": " + decision.cause->why);
    if (decision.cause->place) console.Line("  rule: " + PlaceLabel(*decision.cause->place));
    console.Line("  the model is told: " + WholeReasonText(decision, ""));
  } else {
    console.Line("  " + explained.how);
  }
  for (const RuleUse& use : explained.trace.rules) {
    console.Line("  rule met: " + Quote(use.written) + " (" + PlaceLabel(use.place) + ")");
  }
  if (!explained.note.empty()) console.Line("  note: " + explained.note);
}

OrderedJson ConnectionJson(const ExplainedConnection& explained) {
  const Decision& decision = explained.decision;
  OrderedJson json{{"verdict", VerdictName(decision.verdict)}, {"connection", explained.target}};
  if (decision.cause) {
    json["what"] = decision.cause->what;
    json["why"] = decision.cause->why;
    if (decision.cause->place) json["rule"] = PlaceJson(*decision.cause->place);
    json["reason"] = WholeReasonText(decision, "");
  } else {
    json["how"] = explained.how;
  }
  json["rules"] = JsonArray(explained.trace.rules, [](const RuleUse& use) {
    OrderedJson rule = PlaceJson(use.place);
    rule["entry"] = use.written;
    return rule;
  });
  if (!explained.note.empty()) json["notes"] = {explained.note};
  return json;
}

}  // namespace ringfence
