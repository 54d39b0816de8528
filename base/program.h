// Which file this process was started from.
#pragma once

#include <string>

#include "base/result.h"

namespace ringfence {

// The name it was started by; "" where the system does not tell.
std::string OwnProgram();

// The same without links. "" where the system hides it, as without /proc.
Result<std::string> OwnProgramReal();

}  // namespace ringfence
