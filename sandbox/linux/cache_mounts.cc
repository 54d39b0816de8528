#include "sandbox/linux/cache_mounts.h"

#include <sys/mount.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/sha256.h"
#include "base/syscall.h"
#include "sandbox/linux/mounts.h"
#include "sandbox/linux/overlay.h"

namespace ringfence {

Result<std::vector<UniqueFd>> CacheMounts::Make() {
  made_.resize(plan_.caches.size());
  for (const PlannedCache& cache : plan_.caches) {
    Result<UniqueFd> source = OpenPlace(cache.path);
    sources_.push_back(source ? std::move(*source) : UniqueFd());
  }
  if (!kept_.is_root()) {
    for (size_t i = 0; i < made_.size(); ++i) {
      made_[i] = MakeOne(i, kept_.Child(Sha256Hex(plan_.caches[i].path.text())));
    }
  }
  if (Status s = MakeInMemory(); !s) return s.error();
  return std::move(made_);
}

// The memory has a name only until the mounts hold it.
Status CacheMounts::MakeInMemory() {
  if (std::ranges::all_of(made_, &UniqueFd::valid)) return Unit{};
  const std::string size =
      plan_.limits.memory ? ",size=" + std::to_string(*plan_.limits.memory) : "";
  if (!MountMemory("/tmp", "mode=0700" + size)) return Unit{};
  for (size_t i = 0; i < made_.size(); ++i) {
    if (!made_[i].valid()) made_[i] = MakeOne(i, Path::Clean("/tmp/" + std::to_string(i)));
  }
  // No command may reach it.
  return CallStatus(::umount2("/tmp", MNT_DETACH) == 0, "umount2(caches)");
}

UniqueFd CacheMounts::MakeOne(size_t number, const Path& upper) const {
  const UniqueFd& source = sources_[number];
  if (!source.valid()) return {};
  Result<UniqueFd> mount = MakeOverlay(source, upper);
  return mount ? std::move(*mount) : UniqueFd();
}

}  // namespace ringfence
