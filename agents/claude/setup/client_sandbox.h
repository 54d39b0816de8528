// Derives the client's own sandbox and path limits from a policy. Pure functions: facts about the
// machine are arguments.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "policy/load/context.h"
#include "policy/places.h"
#include "policy/policy.h"
#include "policy/rules/sets.h"

namespace ringfence {

// The client's own fence around the working directories: two settings that `ringfence init
// --client-fence` writes.
struct ClientFenceKey {
  std::string_view pointer;  // in a settings file
  Access access = Access::kRead;
};
inline constexpr std::array kClientFence = {
    ClientFenceKey{"/permissions/blockReadsOutsideWorkingDirectories", Access::kRead},
    ClientFenceKey{"/permissions/blockWritesOutsideWorkingDirectories", Access::kWrite},
};

// Measured on 2.1.330.
inline constexpr std::string_view kClientFenceCost =
    "--client-fence: the client itself refuses file tools and commands outside the project, so "
    "\"ringfence allow\" of a path outside has no effect. It also asks about commands that it "
    "cannot "
    "analyze, even in bypassPermissions (17 of 31 everyday commands), and offers no EnterWorktree";

// Contents for a settings file, and notes on what it cannot express.
struct ClientLimits {
  struct Flag {
    std::string pointer;
    bool value = false;
  };
  struct Texts {
    std::string pointer;
    std::vector<std::string> texts;
  };
  std::vector<Flag> flags;
  std::vector<std::string> dropped;  // pointers of flags to remove if we set them
  std::vector<Texts> lists;          // an empty list removes all our entries
  std::vector<std::string> notes;    // for messages: what the client cannot enforce
};

// `guarded`: paths that no policy may open, in the client's notation ("~/...", "./...").
ClientLimits SandboxFor(const Policy& policy, const Places& places, SettingsLayer layer,
                        const std::vector<std::string>& guarded);

// The same for settings that are not in a file (`--settings`, the agent SDK). They serve only this
// project, so its paths are absolute. Entries that PathRulesFor() expresses are not reported as
// lost.
ClientLimits SandboxForOneProject(const Policy& policy, const Places& places,
                                  const std::vector<std::string>& guarded);

// Absolute paths outside the project that every list allows to be read and written: the client's
// additional directories.
std::vector<std::string> FoldersOutside(const Policy& policy, const Places& places);

// Stops skills from running shell lines, which no hook sees.
ClientLimits::Flag NoSkillShell();

// Settings for --client-fence: the client itself refuses file tools and commands outside the
// project. If `client_fence` is false, they remove what an earlier run set. Notes state the cost of
// the fence and the policy entries that the client now refuses.
ClientLimits ClientFenceFor(const Policy& policy, bool client_fence);

// The first entry of the allow lists that reaches outside the project, or nullptr. An allow list
// also holds the asks of its file.
const PathRule* FirstBeyond(const PathRules& rules);

inline constexpr const char* kAllowWrite = "/sandbox/filesystem/allowWrite";
inline constexpr const char* kAllowedDomains = "/sandbox/network/allowedDomains";

// An entry that `ringfence init` writes for a policy into a settings list that opens paths or hosts
// to commands in the client's sandbox.
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
