// What `ringfence init` writes for a policy into the lists by which the client's settings open
// places and hosts to commands in its sandbox.
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

// For each layer.
std::vector<SandboxEntry> SandboxEntriesFor(const Context& policies);

// The entries of `more` that `less` has not, of files that register the hook.
std::vector<SandboxEntry> EntriesBeyond(const std::vector<SandboxEntry>& more,
                                        const std::vector<SandboxEntry>& less,
                                        const std::vector<SettingsFile>& files);

// A settings file holds one of them.
bool HoldsAny(const std::vector<SettingsFile>& files, const std::vector<SandboxEntry>& entries);

}  // namespace ringfence
