// Determines from the client's settings whether Bash commands are confined, and by what.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "cli/common/host_tools.h"
#include "policy/policy.h"

namespace ringfence {

struct Confinement {
  bool is_confined = false;
  std::string sentence;
  std::vector<std::string> holes;  // settings that open the sandbox for some commands
};

// `files` has all layers that the client reads.
Confinement CheckConfinement(const std::vector<SettingsFile>& files, const SandboxTools& tools);

// For a policy that wraps commands: the client's own sandbox does not matter.
Confinement WrappedConfinement(SandboxMode mode);

// A setting that stops the client from running the hooks of a layer; at most one for each file. The
// client merges its files, so each of them can switch hooks off.
struct HookSwitch {
  std::string file;   // as messages name it
  std::string place;  // the same, with the line if it is known
  std::string what;
};
std::vector<HookSwitch> FindHookSwitches(const std::vector<SettingsFile>& files,
                                         SettingsLayer layer);

}  // namespace ringfence
