// Which file this process was started from, and what starting another takes.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

// The name it was started by; "" where the system does not tell.
std::string OwnProgram();

// The same without links. "" where the system hides it, as without /proc.
Result<std::string> OwnProgramReal();

// The list as execve(2) takes it: pointers into `texts`, which must stay, and nullptr at the end.
std::vector<char*> ArgumentPointers(std::vector<std::string>& texts);

}  // namespace ringfence
