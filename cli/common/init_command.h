// The `ringfence init` command that registers the hook again in the same file, with the same
// options.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/settings/settings.h"
#include "agents/claude/setup/settings_files.h"

namespace ringfence {

// Returns the command for this file, such as "ringfence init --local DIR --profile worker", with
// the options of the file's first entry that starts the hook. A plain init would register in the
// user's settings, without the options.
enum class PolicyOption { kKeep, kDrop };  // --policy
std::string InitCommand(const SettingsFile& file, const Registration& where,
                        PolicyOption policy = PolicyOption::kKeep);

// Returns the command for the first file that registers the hook, or did when the user last
// approved it; "ringfence init" if there is none.
std::string InitCommandInForce(const std::vector<SettingsFile>& files, const Approvals& approvals,
                               const Registration& where);

}  // namespace ringfence
