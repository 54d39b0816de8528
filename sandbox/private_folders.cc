#include "sandbox/private_folders.h"

#include <algorithm>

#include "base/sha256.h"
#include "policy/files/resolve.h"
#include "policy/load/trust.h"
#include "staging/store/names.h"

namespace ringfence {

Path HostsTmp(const CachedFiles& files) {
  const Walked walked = Walk(kHostsTmp, files);
  const bool leads_on =
      walked.EndsAt(FileKind::kDirectory) && !walked.links.empty() && !walked.end.is_root();
  return leads_on ? walked.end : Path::Clean(kHostsTmp);
}

Path PrivateTmp(const SandboxPlan& plan) {
  if (plan.system == HostSystem::kLinux) return Path::Clean(kHostsTmp);
  if (plan.system != HostSystem::kMacos) return {};
  return Path::Clean("/private/tmp/ringfence-" + std::to_string(plan.user));
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

std::vector<Path> Outermost(std::vector<Path> paths) {
  std::ranges::sort(paths);
  std::vector<Path> outermost;
  for (Path& path : paths) {
    const auto covers = [&path](const Path& other) { return path.IsInside(other); };
    if (std::ranges::none_of(outermost, covers)) outermost.push_back(std::move(path));
  }
  return outermost;
}

Path SessionFolders(const Places& places) {
  if (places.homes_real.empty()) return {};
  return Path::Clean(StateFolder(places.homes_real.front().text()) + "/tmp");
}

Path ProxyFolder(const Places& places) {
  if (places.homes_real.empty()) return {};
  return Path::Clean(StateFolder(places.homes_real.front().text()) + "/proxy");
}

Path GrantsFolder(const Places& places) {
  if (places.homes_real.empty()) return {};
  return Path::Clean(StateFolder(places.homes_real.front().text()) + "/sessions");
}

Path StagesFolder(const Places& places) {
  if (places.homes_real.empty()) return {};
  return Path::Clean(StateFolder(places.homes_real.front().text()) + "/stages");
}

Path CopiesFolder(const Places& places) {
  const Path stages = StagesFolder(places);
  return stages.is_root() ? stages : CopiesBeside(stages);
}

Path SessionFolder(const Places& places, std::string_view session) {
  const Path folders = SessionFolders(places);
  if (session.empty() || folders.is_root()) return {};
  return folders.Child(Sha256Hex(session));
}

namespace {

constexpr std::string_view kScratch = "/tmp/ringfence-";

}  // namespace

std::string ScratchFolder(uint64_t number) {
  return std::string(kScratch) + std::to_string(number);
}

bool IsScratch(const Path& path, const Path& tmp) {
  constexpr std::string_view kName = kScratch.substr(kScratch.rfind('/') + 1);
  const std::string_view name = path.name();
  if (path.Parent() != tmp || !name.starts_with(kName) || name.size() == kName.size()) return false;
  return name.find_first_not_of("0123456789", kName.size()) == std::string_view::npos;
}

}  // namespace ringfence
