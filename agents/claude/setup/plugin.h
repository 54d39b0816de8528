// Ringfence's plugin for Claude Code, as the client's files describe it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "policy/places.h"

namespace ringfence {

// Removes the plugin of every scope. `claude plugin uninstall` removes that of one, and fails if
// the plugin was installed for a project (measured on 2.1.331).
inline constexpr const char* kRemovePlugin = "claude plugin marketplace remove ringfence";

struct PluginState {
  bool is_installed = false;     // for this project or for all
  bool is_elsewhere = false;     // installed for another project
  std::string marketplace;       // the directory that the client runs it from; "" if unknown
  std::string version;           // of the plugin there; "" if its files are missing
  std::string program;           // the hook that it starts, absolute; "" if unknown
  bool starts_hook = false;      // for each event that `ringfence init` registers
  std::optional<bool> is_on;     // the setting that counts
  std::string by;                // the name of the file that has it
  std::vector<std::string> off;  // settings by which the client runs no plugin's hooks

  // True if the client starts the hook by the plugin. If the program is missing, calls are blocked.
  bool is_in_force() const { return is_installed && is_on == true && off.empty() && starts_hook; }
  bool operator==(const PluginState&) const = default;
};

PluginState FindPlugin(const Registration& where, const std::vector<SettingsFile>& files);

}  // namespace ringfence
