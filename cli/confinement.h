// Whether the commands of Bash are confined, and by what, as the client's settings say.
#pragma once

#include <string>
#include <vector>

#include "cli/host_tools.h"
#include "cli/settings_files.h"

namespace ringfence {

struct Confinement {
  bool is_confined = false;
  std::string sentence;
  std::vector<std::string> holes;  // settings that open the sandbox for some commands
};

// `files` are all layers that the client reads.
Confinement JudgeConfinement(const std::vector<SettingsFile>& files, const SandboxTools& tools);

}  // namespace ringfence
