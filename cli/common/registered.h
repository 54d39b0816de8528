// What the registrations of the hook put in force: each names a policy, a profile, a project and a
// home of its own, or leaves them to the place where the client is started.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_files.h"
#include "cli/common/context_options.h"

namespace ringfence {

struct Registered {
  std::string place;  // of the first entry that says so: "settings.json:7:12"
  Registration options;
};

// One for each different registration for tool calls in a file that the client reads; entries whose
// options cannot be read are left out.
std::vector<Registered> RegistrationsIn(const Registration& given,
                                        const std::vector<SettingsFile>& files,
                                        const std::string& program);

// What one entry names, and `given` for the rest.
Result<Registration> RegistrationOf(const HookEntry& entry, const Registration& given);

// The project that a command in `where.project_dir` is about: the nearest directory around it,
// below the home, that has a policy of its own or registers the hook, else the directory itself.
std::string NearestProject(const Registration& where);

// What decides the calls of sessions in this project: each registration, the user's first, or
// `given` alone. What `given` names counts in their place.
Result<std::vector<Registration>> RegistrationsHere(const Registration& given);

// What a command looks at: the registrations, or `given` alone where there are none or it names a
// policy or a profile.
std::vector<Registered> RegistrationsInForce(const Registration& given,
                                             const std::vector<SettingsFile>& files,
                                             const std::string& program);

}  // namespace ringfence
