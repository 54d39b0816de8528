// The registrations of the hook. Each one can name a policy, a profile, a project and a home; the
// others depend on where the client starts.
#pragma once

#include <string>
#include <vector>

#include "agents/claude/setup/settings_editor.h"
#include "agents/claude/setup/settings_files.h"
#include "base/result.h"
#include "cli/common/policies.h"

namespace ringfence {

struct Registered {
  std::string place;  // of the first entry with these options: "settings.json:7:12"
  Registration options;
};

// Returns the distinct registrations for tool calls in files that the client reads, without entries
// whose options cannot be parsed.
std::vector<Registered> RegistrationsIn(const Registration& given,
                                        const std::vector<SettingsFile>& files,
                                        const std::string& program);

// Returns the options of one entry, with `given` for the rest.
Result<Registration> RegistrationOf(const HookEntry& entry, const Registration& given);

// The project of a command in `where.project_dir`: that directory or its nearest ancestor below the
// home that has a project policy or registers the hook; else the directory itself.
std::string NearestProject(const Registration& where);

// The registrations that decide calls of sessions in this project, the user's first, or only
// `given` if there are none. Values in `given` take precedence.
Result<std::vector<Registration>> RegistrationsHere(const Registration& given);

// The registrations for a command to evaluate, or only `given` if there are none or it names a
// policy or a profile.
std::vector<Registered> RegistrationsInForce(const Registration& given,
                                             const std::vector<SettingsFile>& files,
                                             const std::string& program);

// Returns the command by which the client starts the hook. All paths are absolute; the home is ""
// in shared settings, where each user has a different one.
HookCommand CommandOf(const Registration& registration);

// Rules of permissions.allow for wrapped commands: the client asks about every part of a command
// that no rule allows.
Result<std::vector<std::string>> WrappingRules(const std::string& hook);

}  // namespace ringfence
