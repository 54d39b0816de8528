// The `ringfence init` that registers the hook again where it is registered now, with the same
// options.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/settings/settings.h"
#include "agents/claude/setup/settings_files.h"

namespace ringfence {

// "ringfence init --local DIR --profile worker": for this file, with the options of its first entry
// that starts the hook. A plain init would register in the user's settings, and without them.
enum class PolicyOption { kKeep, kDrop };  // --policy
std::string InitCommand(const SettingsFile& file, const Registration& where,
                        PolicyOption policy = PolicyOption::kKeep);

// The same for the first file that registers the hook, or else did when a person last accepted it;
// "ringfence init" where none did.
std::string InitCommandInForce(const std::vector<SettingsFile>& files, const Approvals& approvals,
                               const Registration& where);

}  // namespace ringfence
