// The decision: a pure function of plain values and a read-only view of the files.
#pragma once

#include "policy/decision.h"
#include "policy/event.h"
#include "policy/files/cached_files.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// The inputs of a decision besides the call itself.
struct Surroundings {
  const Policy& policy;
  const Places& places;
  const CachedFiles& files;
};

// Decides on the tool call of a PreToolUse or PermissionRequest event. `trace` may be null. If
// `around.files` has failed, now or before, the decision carries that failure.
Decision Decide(const Event& event, const Surroundings& around, Trace* trace = nullptr);

// Decides on one path as if a tool had named it; for explanations.
Decision DecidePath(const Event& event, std::string_view text, Access access,
                    const Surroundings& around);

}  // namespace ringfence
