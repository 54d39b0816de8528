// A session that is asked nothing, and commands that may leave the sandbox when somebody says yes:
// one of the two is wrong.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "policy/places.h"
#include "policy/policy.h"
#include "policy/sources.h"

namespace ringfence {

// `policy` is what MergePolicies(sources, profile, places, {}) gave. An error with the place of
// bash.unsandboxed where client.permission_mode is "bypassPermissions" and bash.unsandboxed is not
// "deny". A profile that a person chose, by --profile or by the project's place, may have both: it
// has to say at least one of them itself.
std::optional<Error> UnsafeBypass(const Policy& policy, const PolicySources& sources,
                                  std::string_view profile, const Places& places);

}  // namespace ringfence
