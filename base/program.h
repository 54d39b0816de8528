// The program file of this process, and the arguments for starting another program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringfence {

// The name that this process was started with; "" if the system does not provide it.
std::string OwnProgram();

// Same, with links resolved. Returns "" if the system hides the file, as without /proc.
Result<std::string> OwnProgramReal();

// Path of the program `name` in the directory of this one, whether or not it exists.
Result<std::string> ProgramBeside(std::string_view name);

inline constexpr const char* kNeedsGlibc =
    "it needs glibc 2.34 or later, which this system does not have";

// The error for a program beside this one that execve(2) could not start. `code` is its errno
// value.
Error ProgramNotStarted(const std::string& program, int code);

// Argument list for execve(2): pointers into `texts`, which must outlive it, and a final nullptr.
std::vector<char*> ArgumentPointers(std::vector<std::string>& texts);

}  // namespace ringfence
