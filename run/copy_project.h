// Lets ringfence-stage copy the project of a stage before its command starts: the launcher cannot.
#pragma once

#include <string>

#include "base/result.h"

namespace ringfence {

// Waits until the project of the stage's record is copied (staging/project_copy.h). `home` is that
// of
// --home, or "". An error says why it is not.
Status RunProjectCopy(const std::string& id, const std::string& home);

}  // namespace ringfence
