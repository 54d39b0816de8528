// Paths of a policy as rules of the client's permissions: Read(//home/dev/p/**/.env). They hold
// where no hook is called: against @path in a prompt, and against what the client's own searches
// find.
#pragma once

#include <string>
#include <vector>

#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

struct PathRulesOfClient {
  std::vector<std::string> deny;
  std::vector<std::string> ask;
  std::vector<std::string> notes;  // for people: what the client knows no rule for
};

// For one project. Of read.deny every entry; of the other lists those with a pattern and those that
// begin with "**/", since the hook and the sandbox hold plain paths.
PathRulesOfClient PathRulesFor(const Policy& policy, const Places& places);

// Read rules for settings that serve any project: what read.deny names by absolute paths, below the
// home or anywhere.
std::vector<std::string> MentionRulesFor(const Policy& policy, const Places& places);

}  // namespace ringfence
