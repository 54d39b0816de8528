// Selects and runs the checks of `ringfence check`: for named files, or for everything in force in
// a project.
#pragma once

#include <string>
#include <vector>

#include "cli/check/finding.h"
#include "cli/common/policies.h"

namespace ringfence {

struct CheckQuestion {
  Registration given;
  bool json = false;
  std::string hook;                // --hook; "": next to this program
  std::vector<std::string> files;  // empty: check everything
  bool elsewhere = false;          // --elsewhere: the files are for other machines
};

struct Checked {
  std::vector<std::string> subjects;  // checked files, for messages
  Findings findings;
  std::vector<Error> unread;  // named files that cannot be read
  std::string home;           // "~" in the subjects' names; "" if they are as the user gave them
};

// Returns an error only if the check cannot run; mistakes are findings.
Result<Checked> CheckFiles(const CheckQuestion& question);
Result<Checked> CheckEverything(const CheckQuestion& question);

}  // namespace ringfence
