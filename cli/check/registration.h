// Whether the client starts the hook for everything, and so that it blocks: read from the settings
// files of every layer.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/settings/settings.h"
#include "agents/claude/setup/settings_files.h"
#include "cli/check/finding.h"

namespace ringfence {

struct RegistrationQuestion {
  std::vector<SettingsFile> files;  // of all layers
  Approvals approvals;
  std::string program;  // the hook's, absolute
  bool wraps_bash = false;
  // Entries of read.allow and write.allow that reach out of the project; "" where none does.
  std::string reads_beyond;
  std::string writes_beyond;
  Registration where = {};
};

// The whole of a registration.
Findings CheckRegistration(const RegistrationQuestion& question);

}  // namespace ringfence
