// Lines on standard error.
#pragma once

#include <string_view>

#include "base/result.h"

namespace ringfence {

// In colour only on a terminal, and never with NO_COLOR.
bool MayColour(int fd);

// "ringfence: LINE".
void Say(std::string_view line);

// "ringfence: WHERE: WHAT" and a "Hint:" line.
void PrintError(const Error& error);

}  // namespace ringfence
