// Finds writable paths and hosts that the client's settings open to commands in its sandbox, but
// the policy does not permit. permissions.additionalDirectories and rules of permissions.allow such
// as Edit(//srv/**) open paths at once, in running sessions too (measured), like
// sandbox.filesystem.allowWrite; sandbox.network.allowedDomains opens hosts.
#pragma once

#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "agents/claude/setup/settings_record.h"
#include "cli/check/command_rights.h"
#include "cli/check/finding.h"

namespace ringfence {

// Rights under one registration of the hook.
struct RightsInForce {
  CommandRights here;   // under all policies in force in this project
  CommandRights users;  // without the project's policy, for settings of all projects
};

struct OpeningQuestion {
  const std::vector<SettingsFile>& files;      // of all layers
  const std::vector<SettingsRecord>& records;  // what `ringfence init` wrote there
  const Registration& where;
  const std::vector<RightsInForce>& rights;
};

// Returns a warning for each entry, or a note if only the project's policy is narrower than
// settings for all projects. Returns nothing if the client's sandbox is off.
Findings FindSandboxOpenings(const OpeningQuestion& question);

}  // namespace ringfence
