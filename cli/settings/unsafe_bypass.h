// A session that is asked nothing, and commands that may leave the sandbox when somebody says yes:
// one of the two is wrong.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "policy/load/sources.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

struct BypassQuestion {
  const Policy& policy;  // what MergePolicies(sources, profile, places, ...) gave
  const PolicySources& sources;
  std::string_view profile;  // --profile, or ""
  const Places& places;
  std::string_view settings = "";  // a settings file whose permissions.defaultMode asks nobody
};

// An error with the place of bash.unsandboxed where client.permission_mode, or that settings file,
// has "bypassPermissions" and bash.unsandboxed is not "deny". A profile that a person chose, by
// --profile or by the project's place, may have both: it has to say at least one of them itself.
std::optional<Error> UnsafeBypass(const BypassQuestion& question);

}  // namespace ringfence
