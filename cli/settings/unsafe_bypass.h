// Finds a contradiction: a session without questions, and commands that may leave the sandbox after
// a question.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "policy/load/sources.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

struct BypassQuestion {
  const Policy& policy;  // the result of MergePolicies(sources, profile, places, ...)
  const PolicySources& sources;
  std::string_view profile;  // --profile, or ""
  const Places& places;
  std::string_view settings = "";  // a settings file with "bypassPermissions"
};

// Returns an error with the place of bash.unsandboxed if client.permission_mode, or that settings
// file, has "bypassPermissions" and bash.unsandboxed is not "deny". A profile that the user chose,
// by --profile or by the project's location, may have both if it sets at least one of them itself.
std::optional<Error> UnsafeBypass(const BypassQuestion& question);

}  // namespace ringfence
