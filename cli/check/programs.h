// Checks that only the user and root can replace our programs.
#pragma once

#include <string>

#include "cli/check/finding.h"

namespace ringfence {

struct ProgramQuestion {
  std::string program;       // absolute
  std::string project_real;  // "": none
};

// Checks the file, every directory above it, and the links that lead to it.
Findings CheckProgram(const ProgramQuestion& question);

// True for the same file or equal bytes, and also if one of the two cannot be found, which is
// reported elsewhere.
bool IsSameProgram(const std::string& one, const std::string& other);

}  // namespace ringfence
