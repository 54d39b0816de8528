// In ringfence-cli: these commands are in ringfence-stage, which `ringfence stage` starts.
#include "cli/stage/stage_options.h"

namespace ringfence {

Outcome RunStageCommand(StageCommand, const StageOptions&) {
  return UsageError("", "ringfence-cli has no stages", "run: ringfence stage");
}

}  // namespace ringfence
