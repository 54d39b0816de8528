// Places outside the project that the client's settings open to commands in its sandbox, beside
// what the policy permits. Both keys open them at once, in running sessions too (measured):
// permissions.additionalDirectories, and rules of permissions.allow such as Edit(//srv/**).
#pragma once

#include <string>
#include <vector>

#include "cli/check/finding.h"
#include "cli/settings_files.h"

namespace ringfence {

struct OpeningQuestion {
  const std::vector<SettingsFile>& files;  // of all layers
  const Whereabouts& where;
  const std::vector<std::string>& permitted;  // folders that the policy lets tools write
};

// One warning for each place. None where the client's sandbox is off.
Findings FindWriteOpenings(const OpeningQuestion& question);

}  // namespace ringfence
