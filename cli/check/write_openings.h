// Finds writable paths and hosts that the client's settings open to commands in its sandbox, but
// the policy does not permit. permissions.additionalDirectories and rules of permissions.allow such
// as Edit(//srv/**) open paths at once, in running sessions too (measured), like
// sandbox.filesystem.allowWrite; sandbox.network.allowedDomains opens hosts.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "agents/claude/setup/settings_record.h"
#include "base/path.h"
#include "cli/check/finding.h"
#include "policy/files/file_view.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// The paths and hosts that a policy opens to commands in the client's sandbox: those that
// `ringfence init` opens there, and those that the policy permits to tools.
class CommandRights {
 public:
  // The arguments must outlive the object.
  CommandRights(const Policy& policy, const Places& places, const FileView& files);

  // True for the whole project, even if the policy lets tools write less, because the client opens
  // the directory in which it starts. Follows links.
  bool MayWrite(const Path& folder) const;
  // `domain` is "host" or "*.host". True for all domains if the policy does not evaluate hosts.
  bool MayReach(const std::string& domain) const;

 private:
  Path Real(const std::string& path) const;

  const Policy& policy_;
  const Places& places_;
  const FileView& files_;
  std::vector<Path> folders_;  // resolved
  std::vector<std::string> domains_;
};

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
