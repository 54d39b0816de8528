// Converts a policy's paths into permission rules of the client: Read(//home/dev/p/**/.env). These
// rules apply where no hook is called: to @path in a prompt, and to the results of the client's own
// searches.
#pragma once

#include <string>
#include <vector>

#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

struct PathRulesOfClient {
  std::vector<std::string> deny;
  std::vector<std::string> ask;
  std::vector<std::string> notes;  // for the user: limits of the client's rules
};

// Rules for one project: every entry of read.deny, and from the other lists the entries with a
// pattern or with "**/" at the beginning, because the hook and the sandbox enforce plain paths.
PathRulesOfClient PathRulesFor(const Policy& policy, const Places& places);

// Read rules for settings that serve any project: entries of read.deny with absolute paths, below
// the home directory or anywhere.
std::vector<std::string> MentionRulesFor(const Policy& policy, const Places& places);

}  // namespace ringfence
