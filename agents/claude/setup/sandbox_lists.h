// Entries that `ringfence init` writes for a policy into the settings lists that open paths and
// hosts to commands in the client's sandbox.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "policy/load/context.h"

namespace ringfence {

inline constexpr const char* kAllowWrite = "/sandbox/filesystem/allowWrite";
inline constexpr const char* kAllowedDomains = "/sandbox/network/allowedDomains";

struct SandboxEntry {
  SettingsLayer layer = SettingsLayer::kUser;
  std::string pointer;  // of its list
  std::string text;

  bool operator==(const SandboxEntry&) const = default;
};

// Returns the entries for all layers.
std::vector<SandboxEntry> SandboxEntriesFor(const Context& policies);

// Returns the entries of `more` that are not in `less`, for layers whose file registers the hook.
std::vector<SandboxEntry> EntriesBeyond(const std::vector<SandboxEntry>& more,
                                        const std::vector<SandboxEntry>& less,
                                        const std::vector<SettingsFile>& files);

// True if a settings file has any of the entries.
bool HoldsAny(const std::vector<SettingsFile>& files, const std::vector<SandboxEntry>& entries);

}  // namespace ringfence
