// Checks, from the settings files of all layers, that the client starts the hook for every call and
// that the hook can block it.
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
  std::string program;  // the hook, absolute
  bool wraps_bash = false;
  // An entry of read.allow and of write.allow that reaches outside the project; "" if none does.
  std::string reads_beyond;
  std::string writes_beyond;
  Registration where = {};
};

Findings CheckRegistration(const RegistrationQuestion& question);

}  // namespace ringfence
