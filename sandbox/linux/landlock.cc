// RestrictByLandlock(): the second lock, with the same allow list as the mounts.
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/syscall.h"
#include "base/unique_fd.h"
#include "sandbox/landlock_rights.h"
#include "sandbox/linux/kernel_abi.h"
#include "sandbox/linux/mounts.h"
#include "sandbox/linux/privileges.h"

namespace ringfence {
namespace {

class Ruleset {
 public:
  explicit Ruleset(int abi) : rights_(RightsOfAbi(abi)), abi_(abi) {}

  Status Create() {
    LandlockRulesetAttribute attribute;
    attribute.handled_access_fs = rights_.handled;
    attribute.scoped = rights_.scopes;
    // Older kernels know less of the structure and refuse what follows unless it is zero.
    const size_t size = abi_ >= 6 ? sizeof attribute : sizeof attribute.handled_access_fs;
    fd_ = UniqueFd(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attribute, size, 0)));
    if (!fd_.valid()) return SystemError("landlock_create_ruleset");
    return Unit{};
  }

  Status Allow(const Path& path, uint64_t rights) const {
    const Result<UniqueFd> place = OpenPlace(path);
    if (!place) return place.error();
    return AllowAt(*place, path, rights);
  }

  // A directory gets `rights`; of a file only those that a file can have.
  Status AllowAt(const UniqueFd& place, const Path& path, uint64_t rights) const {
    struct stat facts {};
    if (::fstat(place.get(), &facts) != 0) return SystemError("fstat(" + path.text() + ")");
    if (!S_ISDIR(facts.st_mode)) rights &= rights_.write_file | kFileRead;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = rights;
    rule.parent_fd = place.get();
    if (::syscall(SYS_landlock_add_rule, fd_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
      return SystemError("landlock_add_rule(" + path.text() + ")");
    }
    return Unit{};
  }

  Status Enforce() const {
    if (::syscall(SYS_landlock_restrict_self, fd_.get(), 0) != 0) {
      return SystemError("landlock_restrict_self");
    }
    return Unit{};
  }

  const LandlockRights& rights() const { return rights_; }

 private:
  static constexpr uint64_t kFileRead = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
  LandlockRights rights_;
  int abi_;
  UniqueFd fd_;
};

// What everybody needs besides the plan's places. Private folders are the sandbox's own, except
// where there are no mounts.
Status AllowSystem(const SandboxPlan& plan, const Ruleset& ruleset) {
  const LandlockRights& rights = ruleset.rights();
  if (Status s = ruleset.Allow(Path(), rights.read); !s) return s;
  if (Status s = ruleset.Allow(Path::Clean("/dev"), rights.devices); !s) return s;
  if (Status s = ruleset.Allow(Path::Clean("/proc"), rights.devices); !s) return s;
  if (plan.layers != SandboxLayers::kFull) return Unit{};
  for (const char* name : {"/dev/shm", "/run/user", "/tmp"}) {
    if (name == std::string_view("/tmp") && !plan.private_tmp) continue;
    const Status s = ruleset.Allow(Path::Clean(name), rights.write);
    if (!s && s.error().what != "ENOENT") return s;
  }
  return Unit{};
}

}  // namespace

Status RestrictByLandlock(const SandboxPlan& plan) {
  Ruleset ruleset(plan.landlock_abi);
  if (Status s = ruleset.Create(); !s) return s;
  if (Status s = AllowSystem(plan, ruleset); !s) return s;
  for (const PlannedPlace& place : plan.writable) {
    const uint64_t rights = ruleset.rights().read | ruleset.rights().write;
    if (Status s = ruleset.Allow(place.path, rights); !s) return s;
  }
  return ruleset.Enforce();
}

}  // namespace ringfence
