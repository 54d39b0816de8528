#include "sandbox/private_folders.h"

#include <algorithm>

namespace ringfence {

bool IsPrivate(HostSystem system, const Path& path) {
  return system == HostSystem::kLinux &&
         std::ranges::any_of(kPrivateFolders, [&](std::string_view folder) {
           return path.IsInside(Path::Clean(folder));
         });
}

bool IsPrivateItself(HostSystem system, const Path& path) {
  return system == HostSystem::kLinux &&
         std::ranges::find(kPrivateFolders, path.text()) != std::end(kPrivateFolders);
}

const PlannedPlace* Holding(const std::vector<PlannedPlace>& places, const Path& path) {
  const auto found = std::ranges::find_if(
      places, [&](const PlannedPlace& place) { return path.IsInside(place.path); });
  return found == places.end() ? nullptr : &*found;
}

}  // namespace ringfence
