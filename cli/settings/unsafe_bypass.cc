#include "cli/settings/unsafe_bypass.h"

#include <algorithm>

#include "policy/layers.h"

namespace ringfence {

std::optional<Error> UnsafeBypass(const Policy& policy, const PolicySources& sources,
                                  std::string_view profile, const Places& places) {
  constexpr std::string_view kBypass = "bypassPermissions";
  if (policy.permission_mode != kBypass || policy.unsandboxed == Unsandboxed::kDeny) return {};
  const bool is_chosen = std::ranges::any_of(sources.sources, [&](const PolicySource& source) {
    if (!source.trusted || source.layer == Layer::kSession) return false;
    const Profile* chosen = RegisteredProfile(*source.file, profile, places);
    return chosen != nullptr && (chosen->sections.permission_mode == kBypass ||
                                 chosen->sections.unsandboxed == Unsandboxed::kAsk);
  });
  if (is_chosen) return {};
  const RulePlace& place = policy.unsandboxed_place;
  return Error{Error::Kind::kInvalidConfig,
               std::string(place.file) + ":" + std::to_string(place.line),
               std::string(place.pointer) +
                   " is \"ask\" while client.permission_mode is \"bypassPermissions\", which asks "
                   "nothing",
               "say \"deny\", or move one of the two to a profile that --profile or when.root "
               "chooses"};
}

}  // namespace ringfence
