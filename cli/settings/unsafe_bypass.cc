#include "cli/settings/unsafe_bypass.h"

#include <algorithm>

#include "policy/load/layers.h"

namespace ringfence {

std::optional<Error> UnsafeBypass(const BypassQuestion& question) {
  constexpr std::string_view kBypass = "bypassPermissions";
  const Policy& policy = question.policy;
  const bool is_policy = policy.permission_mode == kBypass;
  if (policy.unsandboxed == Unsandboxed::kDeny) return {};
  if (!is_policy && question.settings.empty()) return {};
  const auto chooses = [&](const PolicySource& source) {
    if (!source.trusted || source.layer == Layer::kSession) return false;
    const Profile* chosen = RegisteredProfile(*source.file, question.profile, question.places);
    if (chosen == nullptr) return false;
    const KeyValues& keys = chosen->sections.keys;
    return keys.Get<std::string_view>("client.permission_mode") == kBypass ||
           keys.Get<Unsandboxed>("bash.unsandboxed") == Unsandboxed::kAsk;
  };
  if (std::ranges::any_of(question.sources.sources, chooses)) return {};
  const std::string bypass = is_policy
                                 ? "client.permission_mode"
                                 : "permissions.defaultMode of " + std::string(question.settings);
  const RulePlace& place = policy.unsandboxed_place;
  return ConfigError(
      std::string(place.file) + ":" + std::to_string(place.line),
      std::string(place.pointer) + " is \"ask\" while " + bypass +
          " is \"bypassPermissions\", which asks nothing",
      "write \"deny\", or move one of the two to a profile that --profile or when.root "
      "chooses");
}

}  // namespace ringfence
