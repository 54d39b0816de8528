// Checks settings files: one for mistakes for which the client drops it, wrong entries of our hook
// and settings that bypass it; all of them for what they do together.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/settings/settings.h"
#include "agents/claude/setup/settings_files.h"
#include "cli/check/finding.h"

namespace ringfence {

struct SettingsFileQuestion {
  const SettingsFile& file;
  const std::string& program;  // the hook, absolute
  const Approvals& approvals;
  const Registration& where;
  bool is_alone = true;       // false: CheckRegistration() checks the other layers too
  bool is_elsewhere = false;  // for other machines, whose programs and policies are not here
};
Findings CheckSettingsFile(const SettingsFileQuestion& question);

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

// Checks that the client starts the hook for every call and that the hook can block it.
Findings CheckRegistration(const RegistrationQuestion& question);

}  // namespace ringfence
