// Work of ringfence-stage before the command of a stage starts: the launcher cannot do it.
#pragma once

#include <string>

#include "base/result.h"

namespace ringfence {

// `home` is that of --home, or "".

// Undoes what interrupted commands have left in projects. What cannot be undone is said.
Status RunStageRecovery(const std::string& home);

// Waits until the project of the stage's record is copied (staging/project_copy.h). An error says
// why it is not.
Status RunProjectCopy(const std::string& id, const std::string& home);

}  // namespace ringfence
