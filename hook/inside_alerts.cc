#include "hook/inside_alerts.h"

#include <algorithm>

#include "base/text.h"
#include "hook/denials.h"
#include "hook/serve_result.h"
#include "policy/files/cached_files.h"

namespace ringfence {

bool RequestBudget::Take(int64_t unix_nanoseconds) {
  // A clock that jumps never grants more than kMost.
  const int64_t passed = std::clamp<int64_t>(unix_nanoseconds - last_, 0, kMost);
  left_ = std::min(kMost, left_ + passed);
  last_ = unix_nanoseconds;
  if (left_ < kEach) return false;
  left_ -= kEach;
  return true;
}

bool InsideAlerts::Take(const AlertRequest& request, std::string_view why,
                        int64_t unix_nanoseconds) {
  if (!budget_.Take(unix_nanoseconds)) return false;
  std::optional<std::string> told = TextOf(request);
  if (!told && !why.empty()) told = CutText(std::string(why), kMaxAlertText);
  if (!told) return true;
  Alert alert{.kind = request.kind,
              .text = std::move(*told),
              .tool = request.tool,
              .session = request.session};
  alert.is_from_inside = true;
  return WriteAlert(alert, policy_, places_, unix_nanoseconds).has_value();
}

std::optional<std::string> InsideAlerts::TextOf(const AlertRequest& request) const {
  if (request.kind == Alert::Kind::kUnwrapped) {
    if (!policy_.wrap_bash) return {};
    return AlertText(UnwrappedCause(request.tool));
  }
  Event event;
  event.session_id = request.session;
  if (!request.cwd.empty()) event.cwd = request.cwd;
  const CachedFiles now(disk_);
  const auto denial =
      DecideAgain(request.named, event, {policy_, places_, now}, ProgramSandbox::kAgents);
  if (!denial) return {};
  return AlertText(*denial->decision.cause);
}

}  // namespace ringfence
