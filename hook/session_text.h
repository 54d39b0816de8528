// The boundaries in words, told to the model at the start of a session and put into prompts by
// `ringfence prompt`.
#pragma once

#include <optional>
#include <string>

#include "policy/places.h"
#include "policy/policy.h"
#include "policy/sources.h"

namespace ringfence {

struct Confinement {
  // What confines the processes that Bash starts: "the client's sandbox", or "" for nothing.
  std::string bash;
};

// Whether the client's settings turn its sandbox on for this project, read from the user's, the
// project's and the managed settings.
Confinement FindConfinement(const Places& places);

// A few lines, without any text of an untrusted policy.
std::string BoundaryText(const Policy& policy, const Places& places, SandboxMode mode,
                         const Confinement& confinement);

}  // namespace ringfence
