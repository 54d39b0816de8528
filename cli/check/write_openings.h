// What the client's settings open to commands in its sandbox beside what the policy permits: places
// to write, and hosts. permissions.additionalDirectories and rules of permissions.allow such as
// Edit(//srv/**) open places at once, in running sessions too (measured), like
// sandbox.filesystem.allowWrite; sandbox.network.allowedDomains opens hosts.
#pragma once

#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "agents/claude/setup/settings_record.h"
#include "cli/check/command_rights.h"
#include "cli/check/finding.h"

namespace ringfence {

// Of one registration of the hook.
struct RightsInForce {
  CommandRights here;   // by all policies that count in this project
  CommandRights users;  // without the project's own, which settings for every project do not follow
};

struct OpeningQuestion {
  const std::vector<SettingsFile>& files;      // of all layers
  const std::vector<SettingsRecord>& records;  // what `ringfence init` wrote there
  const Registration& where;
  const std::vector<RightsInForce>& rights;
};

// One warning for each entry; a note where only the project's own policy is narrower than settings
// for every project. None where the client's sandbox is off.
Findings FindSandboxOpenings(const OpeningQuestion& question);

}  // namespace ringfence
