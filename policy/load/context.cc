#include "policy/load/context.h"

namespace ringfence {

Result<Policy> Context::PolicyFor(const Caller& caller) const {
  return MergePolicies(sources, registration.profile, places, caller);
}

Result<Context> FindContext(const Registration& registration, const FileView& files) {
  Result<Places> places = FindPlaces(registration, files);
  if (!places) return places.error();
  Context context{std::move(*places), {}, registration};
  Result<PolicySources> sources = ReadPolicySources(registration.policy, context.places, files);
  if (!sources) return sources.error();
  context.sources = std::move(*sources);
  return context;
}

}  // namespace ringfence
