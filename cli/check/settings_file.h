// Checks a single settings file: mistakes for which the client drops it, wrong entries of our hook,
// and settings that bypass the hook.
#pragma once

#include <string>

#include "agents/claude/settings/settings.h"
#include "agents/claude/setup/settings_files.h"
#include "cli/check/finding.h"

namespace ringfence {

struct SettingsFileQuestion {
  const SettingsFile& file;
  const std::string& program;  // the hook, absolute
  const Approvals& approvals;
  const Registration& where;
  bool is_alone = true;  // false: the other layers are checked too (registration.h)
};
Findings CheckSettingsFile(const SettingsFileQuestion& question);

}  // namespace ringfence
