// The client's own sandbox and path limits, derived from a policy. A pure function: what this
// machine has is a value.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// What the settings file shall say, and what it cannot.
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
  std::vector<std::string> dropped;  // pointers of flags that must not be ours any more
  std::vector<Texts> lists;          // also empty ones: nothing of ours may be left there
  std::vector<std::string> notes;    // for people: what of the policy the client cannot hold
};

// `guarded`: what no policy may open, as the client spells paths ("~/...", "./...").
ClientLimits SandboxFor(const Policy& policy, const Places& places, SettingsLayer layer,
                        const std::vector<std::string>& guarded);

// The same for settings that belong to no file: they are made for this project alone (`--settings`,
// the agent SDK), so paths of the project are absolute, and the entries that ReadRulesFor()
// expresses are not noted as lost.
ClientLimits SandboxForOneProject(const Policy& policy, const Places& places,
                                  const std::vector<std::string>& guarded);

// Absolute paths out of the project that every list allows to read and to write: what the client
// calls additional directories.
std::vector<std::string> FoldersOutside(const Policy& policy, const Places& places);

// Skills run shell lines that no hook sees.
ClientLimits::Flag NoSkillShell();

// The client's own refusal of file tools and commands outside the project, which --client-fence
// asks for. `client_fence` is false: what an earlier run set is taken back. Notes say what the
// fence costs, and which entries of the policy the client now refuses.
ClientLimits ClientFenceFor(const Policy& policy, bool client_fence);

// The first entry of the allow lists that reaches out of the project, or nullptr. An allow list
// also holds what its file asks about.
const PathRule* FirstBeyond(const PathRules& rules);

}  // namespace ringfence
