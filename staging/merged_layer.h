// MergedLayer: what the project would be after a plan, for commands that check it before it counts.
#pragma once

#include "base/path.h"
#include "base/result.h"
#include "staging/merge_plan.h"
#include "staging/stage.h"

namespace ringfence {

// A directory of the stage that has what an overlay over the project needs
// (sandbox/linux/overlay.h) to show what the plan would make of it. It is removed with this object.
class MergedLayer {
 public:
  // `stage` is locked, and must outlive the result.
  static Result<MergedLayer> Of(const Stage& stage, const MergePlan& plan);
  ~MergedLayer();
  MergedLayer(MergedLayer&& other) noexcept;
  MergedLayer& operator=(MergedLayer&&) = delete;
  MergedLayer(const MergedLayer&) = delete;
  MergedLayer& operator=(const MergedLayer&) = delete;

  Path path() const;

 private:
  explicit MergedLayer(const StageFolder& folder) : folder_(&folder) {}

  const StageFolder* folder_;  // null after a move
};

}  // namespace ringfence
