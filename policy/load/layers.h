// Several policy files, profiles and the caller become one Policy. Denies and asks of all of them
// add up. Allows come from the most specific trusted file; the managed file, an untrusted project
// file and a profile that the event chose can only take away.
#pragma once

#include <string_view>

#include "base/result.h"
#include "policy/event.h"
#include "policy/load/sources.h"
#include "policy/places.h"
#include "policy/policy.h"

namespace ringfence {

// Who is calling, as the event says: the agent's word, so it can only tighten.
struct Caller {
  std::string_view agent_type;
  bool subagent = false;
  std::string_view permission_mode;
};
Caller CallerOf(const Event& event);

// The profile of a file that the registration (`name`, from --profile) or, where that is "", the
// place of the project chose: a person's choice, so it may widen. nullptr where there is none.
const Profile* RegisteredProfile(const PolicyFile& file, std::string_view name,
                                 const Places& places);

// `profile` is --profile, or "". A profile of that name that no file has is an error.
// The result points into `sources`.
Result<Policy> MergePolicies(const PolicySources& sources, std::string_view profile,
                             const Places& places, const Caller& caller);

}  // namespace ringfence
