// Paths of a policy as rules of the client's permissions: Read(//home/dev/p/**/.env). They are what
// holds a floating deny against the client's own searches, which the hook cannot look into.
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

// Entries with a pattern, and those that begin with "**/". Plain paths are left to the hook and to
// the sandbox, which hold them.
PathRulesOfClient PathRulesFor(const Policy& policy, const Places& places);

}  // namespace ringfence
