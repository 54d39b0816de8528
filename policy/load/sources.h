// The policy files that apply to a project, read from the disk, and whether each is trusted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/files/file_view.h"
#include "policy/load/policy_file.h"
#include "policy/places.h"

namespace ringfence {

// From wide to narrow. --policy FILE replaces the user's and the project's policy. A session's file
// only adds to what the others allow; only its allow lists count.
enum class Layer : uint8_t { kManaged, kUser, kCommandLine, kProject, kSession };

struct PolicySource {
  Layer layer = Layer::kUser;
  bool trusted = true;
  std::unique_ptr<PolicyFile> file;
};

struct PolicySources {
  std::vector<PolicySource> sources;     // in the order of Layer
  std::unique_ptr<PolicyFile> built_in;  // the defaults under all of them
  std::vector<std::string> notes;        // messages that say what was ignored, and why
};

constexpr const char* kManagedPolicy = "/etc/ringfence/policy.json";
std::string UserPolicyPath(const std::string& home);
std::string ProjectPolicyPath(const std::string& root);

// Returns the paths that policies are read from without --policy, existing or not.
std::vector<Path> UsualPolicyPlaces(const Places& places);

// Reads all policy files; fails if one cannot be used. May widen `places.root` ("root": "git"), and
// records in `places` the paths that policies are read from, existing or not. `policy_option` is
// --policy, or "".
Result<PolicySources> ReadPolicySources(const std::string& policy_option, Places& places,
                                        const FileView& files);

// Returns the path of the user's grants for one session (`ringfence allow --session`), or "" if
// `session_id` is not a plain name.
std::string SessionGrantsPath(const std::string& home, std::string_view session_id);

// Returns true for the name that `ringfence run` gives the session of a confined agent: kAgentName
// and kAgentDigits random hexadecimal digits.
bool IsAgentSession(std::string_view session_id);
inline constexpr std::string_view kAgentName = "agent-";
inline constexpr size_t kAgentDigits = 32;
// Returns the path of an agent session's lock file. The launcher holds the lock (flock(2)) while
// the agent runs.
std::string AgentLockPath(const std::string& home, std::string_view session_id);

// Adds the session's grants to `sources`; false if there are none.
Result<bool> AddSessionGrants(std::string_view session_id, const Places& places,
                              PolicySources& sources);

}  // namespace ringfence
