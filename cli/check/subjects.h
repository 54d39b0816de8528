// What `ringfence check` looks at: files that were named, or all that counts for a project.
#pragma once

#include <string>
#include <vector>

#include "cli/check/finding.h"
#include "cli/common/context_options.h"

namespace ringfence {

struct CheckQuestion {
  Registration given;
  bool json = false;
  std::string hook;                // --hook; "": beside this program
  std::vector<std::string> files;  // none: everything
};

struct Checked {
  std::vector<std::string> subjects;  // what was looked at, for people
  Findings findings;
  std::vector<Error> unread;  // of files that were named: they cannot be looked at
};

// Errors are for what cannot be looked at at all; what is wrong is a finding.
Result<Checked> CheckFiles(const CheckQuestion& question);
Result<Checked> CheckEverything(const CheckQuestion& question);

}  // namespace ringfence
