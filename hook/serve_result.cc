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

void TellDenials(const Event& event, const Surroundings& around, ProgramSandbox sandbox,
                 ResultNotes& told) {
  const std::vector<Denial> denials = DenialsOf(event, around, sandbox);
  for (const Denial& denial : denials) {
    told.model += WholeReasonText(denial.decision, "") + "\n";
    AlertRequest request = RequestOf(event);
    request.named = denial.named;
    told.alerts.push_back({std::move(request), AlertText(*denial.decision.cause)});
  }
  if (denials.empty()) return;
  const auto has_remedy = [](const Denial& one) { return !one.decision.cause->remedy.empty(); };
  if (std::ranges::any_of(denials, has_remedy)) {
    told.model += "A program chose that host: ask for it only if your task needs it.\n";
  }
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

ResultNotes TellResult(const Event& event, const Surroundings& around, Ran ran) {
  ResultNotes told;
  if (ran.unwrapped) TellUnwrapped(event, told);
  TellDenials(event, around, ran.sandbox, told);
  return told;
}

std::vector<Error> RaiseAlerts(const std::vector<ResultNotes::Item>& alerts, const Policy& policy,
                               const Places& places, int64_t unix_nanoseconds) {
  std::vector<Error> errors;
  for (const ResultNotes::Item& item : alerts) {
    // Inside a ringfence sandbox, the launcher outside has its own policy and inbox.
    const Result<bool> sent = SendToLauncher(AlertRequestText(item.request));
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
