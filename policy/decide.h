// The decision: a pure function of plain values and a read-only view of the files.
#pragma once

#include <vector>

#include "policy/decision.h"
#include "policy/event.h"
#include "policy/files/cached_files.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// What a decision rests on besides the call itself.
struct Surroundings {
  const Policy& policy;
  const Places& places;
  const CachedFiles& files;
};

// Decides about the tool call of a PreToolUse or PermissionRequest event. `trace` may be null. What
// the files failed at, now or before, is a failure of the decision.
Decision Decide(const Event& event, const Surroundings& around, Trace* trace = nullptr);

// Decides about one path as if a tool named it; for explanations.
Decision DecidePath(const Event& event, std::string_view text, Access access,
                    const Surroundings& around);

}  // namespace ringfence
