// The decision: a pure function of plain values and a read-only view of the files.
#pragma once

#include "policy/decision.h"
#include "policy/evaluate/evaluate_path.h"
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

// Decides on paths as if a tool had named them. What is needed for each of them is found only once,
// so the files must not change meanwhile.
class PathDecider {
 public:
  // `event` and what is in `around` must outlive this object.
  PathDecider(const Event& event, const Surroundings& around)
      : evaluator_(around.policy, around.places, event, around.files), files_(around.files) {}

  Decision Decide(std::string_view text, Access access) const;

 private:
  PathEvaluator evaluator_;
  const CachedFiles& files_;
};

// Decides on one path.
Decision DecidePath(const Event& event, std::string_view text, Access access,
                    const Surroundings& around);

}  // namespace ringfence
