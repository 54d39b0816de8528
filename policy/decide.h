// The decision: a pure function of plain values and a read-only view of the files.
#pragma once

#include <vector>

#include "policy/decision.h"
#include "policy/event.h"
#include "policy/file_view.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// Decides about the tool call of a PreToolUse or PermissionRequest event. `traces` may be null;
// with it every judged path is explained.
Decision Decide(const Event& event, const Policy& policy, const Places& places,
                const FileView& files, std::vector<PathTrace>* traces = nullptr);

// Decides about one path as if a tool named it; for explanations.
Decision DecidePath(const Event& event, std::string_view text, Access access, const Policy& policy,
                    const Places& places, const FileView& files);

}  // namespace ringfence
