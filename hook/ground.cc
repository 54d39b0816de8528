#include "hook/ground.h"

namespace ringfence {

Result<Ground> FindGround(const Registration& registration, const FileView& files) {
  Result<Places> places = FindPlaces(registration, files);
  if (!places) return places.error();
  Ground ground{std::move(*places), {}};
  Result<PolicySources> sources = ReadPolicySources(registration.policy, ground.places, files);
  if (!sources) return sources.error();
  ground.sources = std::move(*sources);
  return ground;
}

}  // namespace ringfence
