// One settings file of the client's by itself: what the client drops it for, entries of ours that
// are wrong, and what goes past the hook.
#pragma once

#include <string>

#include "agents/claude/settings/settings.h"
#include "agents/claude/setup/settings_files.h"
#include "cli/check/finding.h"

namespace ringfence {

struct SettingsFileQuestion {
  const SettingsFile& file;
  const std::string& program;  // the hook's, absolute
  const Approvals& approvals;
  const Registration& where;
  bool is_alone = true;  // false: the other layers are looked at as well (registration.h)
};
Findings CheckSettingsFile(const SettingsFileQuestion& question);

}  // namespace ringfence
