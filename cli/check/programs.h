// Whether somebody else than the user and root could put another program in the place of ours.
#pragma once

#include <string>

#include "cli/check/finding.h"

namespace ringfence {

struct ProgramQuestion {
  std::string program;       // absolute
  std::string project_real;  // "": none
};

// The file and every folder above it.
Findings JudgeProgram(const ProgramQuestion& question);

}  // namespace ringfence
