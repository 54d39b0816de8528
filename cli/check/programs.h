// Whether somebody else than the user and root could put another program in the place of ours.
#pragma once

#include <string>

#include "cli/check/finding.h"

namespace ringfence {

struct ProgramQuestion {
  std::string program;       // absolute
  std::string project_real;  // "": none
};

// The file, every folder above it, and the links that lead to it.
Findings CheckProgram(const ProgramQuestion& question);

// The same file, or one with the same bytes; also where one of the two cannot be read, which is
// said elsewhere.
bool IsSameProgram(const std::string& one, const std::string& other);

}  // namespace ringfence
