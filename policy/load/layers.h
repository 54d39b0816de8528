// Merges several policy files, profiles and the caller into one Policy. Denies and asks of all of
// them add up. Allows come from the most specific trusted file; the managed file, an untrusted
// project file and a profile that the event chose can only tighten.
#pragma once

#include <string_view>

#include "base/result.h"
#include "policy/event.h"
#include "policy/load/sources.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// The caller according to the event. The agent controls this, so it may only tighten.
struct Caller {
  std::string_view agent_type;
  bool subagent = false;
  std::string_view permission_mode;
};
Caller CallerOf(const Event& event);

// Returns the file's profile that the registration names (`name`, from --profile) or, if that is
// "", that matches the project's directory; nullptr if there is none. The user chose it, so it may
// widen.
const Profile* RegisteredProfile(const PolicyFile& file, std::string_view name,
                                 const Places& places);

// `profile` is --profile, or "". Fails if no trusted file has a profile of that name. The result
// points into `sources`.
Result<Policy> MergePolicies(const PolicySources& sources, std::string_view profile,
                             const Places& places, const Caller& caller);

}  // namespace ringfence
