// Alerts: one JSON file each in a directory that another program watches (alerts.inbox).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// Writes {fields..., "text": text}: first under a name that begins with ".", then renamed, so that
// a reader never sees half a file. Does nothing without an inbox.
Status WriteAlert(const AlertRules& rules, const Places& places, const std::string& text,
                  int64_t unix_nanoseconds);

}  // namespace ringfence
