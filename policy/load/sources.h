// Which policy files count for a project, read from the disk, with their trust.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/files/file_view.h"
#include "policy/load/policy_file.h"
#include "policy/places.h"

namespace ringfence {

// From wide to narrow. --policy FILE stands for user and project. A session's file only adds to
// what the others allow, and only its allow lists count.
enum class Layer : uint8_t { kManaged, kUser, kCommandLine, kProject, kSession };

struct PolicySource {
  Layer layer = Layer::kUser;
  bool trusted = true;
  std::unique_ptr<PolicyFile> file;
};

struct PolicySources {
  std::vector<PolicySource> sources;     // in the order of Layer
  std::unique_ptr<PolicyFile> built_in;  // the defaults under all of them
  std::vector<std::string> notes;        // for people: what was ignored, and why
};

constexpr const char* kManagedPolicy = "/etc/ringfence/policy.json";
std::string UserPolicyPath(const std::string& home);
std::string ProjectPolicyPath(const std::string& root);

// Where policies are read from without --policy, whether or not there are any.
std::vector<Path> UsualPolicyPlaces(const Places& places);

// Reads them all; one that cannot be used is an error. May widen `places.root` ("root": "git") and
// records in `places` where policies are and would be read. `policy_option` is --policy, or "".
Result<PolicySources> ReadPolicySources(const std::string& policy_option, Places& places,
                                        const FileView& files);

// What a person permitted for one session (`ringfence allow --session`); "" when `session_id` is no
// plain name.
std::string SessionGrantsPath(const std::string& home, std::string_view session_id);
// Adds that file to `sources`. False: there is none.
Result<bool> AddSessionGrants(std::string_view session_id, const Places& places,
                              PolicySources& sources);

}  // namespace ringfence
