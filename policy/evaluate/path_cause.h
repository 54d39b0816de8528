// Reasons that a path is denied or asked about, as the user reads them.
#pragma once

#include <string>
#include <string_view>

#include "policy/decision.h"
#include "policy/event.h"
#include "policy/rules/protected.h"
#include "policy/rules/rules.h"

namespace ringfence {

struct PathQuestion {
  std::string_view text;
  Access access;
  std::string_view verb;    // begins the message: "read of", "write to"
  bool only_lists = false;  // apply only denies and asks
  TildeHomes homes = TildeHomes::kGiven;
};

Cause PlainCause(const PathQuestion& question, std::string why);

// Such as "denied by "docs/adr"" or "denied by "@secrets" (~/.ssh)"; `did` is "denied".
Cause RuleCause(const PathQuestion& question, const RuleHit& hit, std::string_view did);

// For a set, says what its files do, and names the entry if the requested name does not show it.
Cause AskCause(const PathQuestion& question, const RuleHit& hit, bool by_name);

Cause ProtectedCause(const PathQuestion& question, const Protection& protection);

}  // namespace ringfence
