// Alerts: one JSON file each in a directory that another program watches (alerts.inbox). They say
// what this policy refuses, in words of our own.
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
  std::string text;  // of AlertText
  std::string tool;
  std::string session;
  // Tool and session are the word of somebody inside a sandbox: the rate does not go by them.
  bool is_from_inside = false;
};

// Where alerts.inbox leads: its "~" is the home without links, since no link is followed on the
// way. Nothing: no home is known, or the text is no absolute path.
std::optional<Path> InboxOf(std::string_view text, const Places& places);

// What was refused and why, without the remedy, cut to 200 characters.
std::string AlertText(const Cause& cause);

// The file's content.
std::string AlertJson(const Alert& alert, const Policy& policy, uint64_t held,
                      int64_t unix_nanoseconds);

// Writes the file, unless there is no inbox or too many were written lately (alert_rate.h); what is
// held back is no error. First under a name that begins with ".", then renamed: a reader never sees
// half a file.
Status WriteAlert(const Alert& alert, const Policy& policy, const Places& places,
                  int64_t unix_nanoseconds);

}  // namespace ringfence
