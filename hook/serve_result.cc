#include "hook/serve_result.h"

#include <algorithm>

#include "base/launcher.h"
#include "base/text.h"

namespace ringfence {
namespace {

AlertRequest RequestOf(const Event& event) {
  return {.named = {},
          .cwd = event.cwd.value_or(""),
          .tool = event.tool_name,
          .session = event.session_id};
}

// Another hook that rewrites the call can undo the wrapping, which shows only after the call.
void TellUnwrapped(const Event& event, ResultNotes& told) {
  const Cause cause = UnwrappedCause(event.tool_name);
  told.user =
      "ringfence: a " + cause.what + " was not wrapped. " + cause.why + ". " + cause.remedy + "\n";
  told.model = told.user;
  AlertRequest request = RequestOf(event);
  request.kind = Alert::Kind::kUnwrapped;
  told.alerts.push_back({std::move(request), AlertText(cause)});
  told.unwrapped = Decision{.verdict = Verdict::kDeny, .cause = cause};
}

// Returns true if the user can permit one of them.
bool TellUnreached(const Event& event, const std::vector<UnreachedHost>& hosts, ResultNotes& told) {
  bool has_remedy = false;
  for (const UnreachedHost& host : hosts) {
    told.model += "ringfence: " + host.sentence + "\n";
    if (!host.is_refused || host.target.empty()) continue;
    has_remedy = has_remedy || host.sentence.find("`ringfence ") != std::string::npos;
    AlertRequest request = RequestOf(event);
    request.named = {Named::Kind::kHost, host.target};
    told.alerts.push_back({std::move(request), host.sentence});
  }
  return has_remedy;
}

void TellDenials(const Event& event, const Surroundings& around, const Ran& ran,
                 ResultNotes& told) {
  std::vector<Denial> denials = DenialsOf(event, around, ran.sandbox);
  const size_t earlier = told.alerts.size();
  bool names_host = false;
  if (ran.unreached) {
    std::erase_if(denials, [](const Denial& one) { return one.named.kind == Named::Kind::kHost; });
    names_host = TellUnreached(event, *ran.unreached, told);
  }
  for (const Denial& denial : denials) {
    told.model += WholeReasonText(denial.decision, "") + "\n";
    AlertRequest request = RequestOf(event);
    request.named = denial.named;
    told.alerts.push_back({std::move(request), AlertText(*denial.decision.cause)});
    names_host = names_host || !denial.decision.cause->remedy.empty();
  }
  if (names_host) {
    told.model += "A program chose that host: ask for it only if your task needs it.\n";
  }
  // Programs ask for hosts without need, too: after a success, the user need not hear of it.
  if (told.alerts.size() == earlier || event.failure.empty()) return;
  told.model += around.policy.say.empty() ? "Tell the user what was refused, and why."
                                          : std::string(around.policy.say);
  told.model += "\n";
}

}  // namespace

Cause UnwrappedCause(std::string_view tool) {
  return {"command of " + Printable(tool),
          "it RAN, outside the sandbox: another hook rewrote the call",
          {},
          "Tell the user, who can find that hook with /hooks."};
}

ResultNotes TellResult(const Event& event, const Surroundings& around, const Ran& ran) {
  ResultNotes told;
  if (ran.unwrapped) TellUnwrapped(event, told);
  TellDenials(event, around, ran, told);
  return told;
}

std::optional<std::vector<UnreachedHost>> AskForUnreached(const Event& event) {
  constexpr int64_t kSlack = 2000;  // milliseconds until the hook asks
  constexpr int64_t kUnknown = 600'000;
  const UnreachedQuestion question{.milliseconds = event.milliseconds.value_or(kUnknown) + kSlack,
                                   .only_new = event.failure.empty()};
  const auto reply = SendToLauncher(UnreachedRequest(question));
  if (!reply || !*reply) return {};
  return ReadUnreached(**reply);
}

std::vector<Error> RaiseAlerts(const std::vector<ResultNotes::Item>& alerts, const Policy& policy,
                               const Places& places, int64_t unix_nanoseconds) {
  std::vector<Error> errors;
  for (const ResultNotes::Item& item : alerts) {
    // Inside a ringfence sandbox, the launcher outside has its own policy and inbox.
    const auto sent = SendToLauncher(AlertRequestText(item.request));
    if (!sent) errors.push_back(sent.error());
    if (!sent || *sent) continue;
    const Alert alert{.kind = item.request.kind,
                      .text = item.text,
                      .tool = item.request.tool,
                      .session = item.request.session};
    const Status written = WriteAlert(alert, policy, places, unix_nanoseconds);
    if (written) continue;
    errors.push_back(written.error());
    break;  // the other alerts would fail as well
  }
  return errors;
}

}  // namespace ringfence
