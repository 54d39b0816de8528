// Writes lines to standard error.
#pragma once

#include <string_view>

#include "base/result.h"

namespace ringfence {

// True if `fd` is a terminal that can move its cursor (TERM).
bool IsSmartTerminal(int fd);
// The same, with colours, and NO_COLOR is not set.
bool MayColour(int fd);

// Prints "ringfence: LINE".
void Say(std::string_view line);

// Prints "ringfence: WHERE: WHAT" and, if there is a hint, a "Hint:" line.
void PrintError(const Error& error);

}  // namespace ringfence
