#include "sandbox/private_folders.h"

#include <algorithm>

#include "policy/files/resolve.h"

namespace ringfence {

Path HostsTmp(const CachedFiles& files) {
  const Walked walked = Walk(kHostsTmp, files);
  const bool leads_on = walked.stop == Walked::Stop::kEnd && !walked.links.empty() &&
                        walked.facts.kind == FileKind::kDirectory && !walked.end.is_root();
  return leads_on ? walked.end : Path::Clean(kHostsTmp);
}

bool IsPrivate(const SandboxPlan& plan, const Path& path) {
  if (plan.system != HostSystem::kLinux) return false;
  return path.IsInside(plan.tmp) ||
         std::ranges::any_of(kPrivateFolders, [&](std::string_view folder) {
           return path.IsInside(Path::Clean(folder));
         });
}

bool IsPrivateItself(const SandboxPlan& plan, const Path& path) {
  if (plan.system != HostSystem::kLinux) return false;
  return path == plan.tmp ||
         std::ranges::find(kPrivateFolders, path.text()) != std::end(kPrivateFolders);
}

const PlannedPlace* Holding(const std::vector<PlannedPlace>& places, const Path& path) {
  const auto found = std::ranges::find_if(
      places, [&](const PlannedPlace& place) { return path.IsInside(place.path); });
  return found == places.end() ? nullptr : &*found;
}

}  // namespace ringfence
