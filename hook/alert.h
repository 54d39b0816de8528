// Alerts: one JSON file each, in a directory that another program watches (alerts.inbox). An alert
// says what the policy refuses, in ringfence's own words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/decision.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

struct Alert {
  enum class Kind : uint8_t { kDenial, kUnwrapped };
  Kind kind = Kind::kDenial;
  std::string text;  // from AlertText()
  std::string tool;
  std::string session;
  // Tool and session are claims from inside a sandbox, so the rate limit does not rely on them.
  bool is_from_inside = false;
};

// The path of alerts.inbox. "~" is the home directory with links resolved, because no link is
// followed on the way. Returns nothing if no home is known or the text is not an absolute path.
std::optional<Path> InboxOf(std::string_view text, const Places& places);

constexpr size_t kMaxAlertText = 200;  // bytes

// Says what was refused and why, without the remedy, in at most 200 bytes.
std::string AlertText(const Cause& cause);

// Returns the content of the file.
std::string AlertJson(const Alert& alert, const Policy& policy, uint64_t held,
                      int64_t unix_nanoseconds);

// Writes the file, unless there is no inbox or the rate limit is reached (alert_rate.h); an alert
// that is held back is not an error. Uses a name that begins with "." at first and then renames the
// file, so a reader never sees part of it.
Status WriteAlert(const Alert& alert, const Policy& policy, const Places& places,
                  int64_t unix_nanoseconds);

}  // namespace ringfence
