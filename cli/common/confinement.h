// Whether the commands of Bash are confined, and by what, as the client's settings say.
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

// `files` are all layers that the client reads.
Confinement CheckConfinement(const std::vector<SettingsFile>& files, const SandboxTools& tools);

// Where the policy has commands wrapped, the client's own sandbox does not matter.
Confinement WrappedConfinement(SandboxMode mode);

// Why the client would run no hook that `layer` registers, by the file that says so; empty where
// nothing does. The client merges its files, so each of them may switch hooks off.
struct HookSwitch {
  std::string file;   // as messages call it
  std::string place;  // the same, with the line where it is known
  std::string what;
};
std::vector<HookSwitch> FindHookSwitches(const std::vector<SettingsFile>& files,
                                         SettingsLayer layer);

}  // namespace ringfence
