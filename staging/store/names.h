// Names of what stages keep (stage_store.h), for the sandbox as well.
#pragma once

#include <string>

#include "base/path.h"

namespace ringfence {

// In a stage's directory: the changes, as an overlay's upper layer, or the copy of the project.
inline constexpr const char* kStageWritten = "written";
inline constexpr const char* kStageWork = "work";  // the kernel's own

// The directory with the copies of projects that commands work in, each in a directory with its
// stage's id. `stages` holds the stages; no sandbox may write beside them.
inline Path CopiesBeside(const Path& stages) {
  const Path state = stages.Parent();
  return state.Parent().Child(std::string(state.name()) + "-copies");
}

}  // namespace ringfence
