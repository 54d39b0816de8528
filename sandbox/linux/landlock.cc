// RestrictByLandlock(): the second layer of enforcement, with the same allow list as the mounts.
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "base/syscall.h"
#include "base/unique_fd.h"
#include "policy/files/real_files.h"
#include "sandbox/landlock_rights.h"
#include "sandbox/linux/kernel_abi.h"
#include "sandbox/linux/mounts.h"
#include "sandbox/linux/private_mounts.h"
#include "sandbox/linux/privileges.h"

namespace ringfence {
namespace {

constexpr size_t kMostEntries = 1'000'000;  // per directory that contains a hidden place

class Ruleset {
 public:
  explicit Ruleset(int abi) : rights_(RightsOfAbi(abi)), abi_(abi) {}

  Status Create(bool handles_tcp) {
    LandlockRulesetAttribute attribute;
    attribute.handled_access_fs = rights_.handled;
    attribute.handled_access_net = handles_tcp ? kLandlockBindTcp | kLandlockConnectTcp : 0;
    attribute.scoped = rights_.scopes;
    // Older kernels know a shorter structure and reject any non-zero bytes after it.
    size_t size = sizeof attribute;
    if (abi_ < 6) size = offsetof(LandlockRulesetAttribute, scoped);
    if (abi_ < 4) size = offsetof(LandlockRulesetAttribute, handled_access_net);
    fd_ = UniqueFd(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attribute, size, 0)));
    return CallStatus(fd_.valid(), "landlock_create_ruleset", Error::About::kLandlock);
  }

  Status AllowConnect(uint16_t port) const {
    const LandlockNetPort rule{.allowed_access = kLandlockConnectTcp, .port = port};
    return CallStatus(
        ::syscall(SYS_landlock_add_rule, fd_.get(), kLandlockRuleNetPort, &rule, 0) == 0,
        "landlock_add_rule(TCP port)", Error::About::kLandlock);
  }

  Status Allow(const Path& path, uint64_t rights) const {
    const Result<UniqueFd> place = OpenPlace(path);
    if (!place) return place.error();
    return AllowAt(*place, path, rights);
  }

  // Grants a directory all of `rights`, and a file only those that apply to files.
  Status AllowAt(const UniqueFd& place, const Path& path, uint64_t rights) const {
    struct stat facts {};
    if (::fstat(place.get(), &facts) != 0) return SystemError("fstat(" + path.text() + ")");
    if (!S_ISDIR(facts.st_mode)) rights &= rights_.write_file | kFileRead;
    landlock_path_beneath_attr rule{};
    rule.allowed_access = rights;
    rule.parent_fd = place.get();
    return CallStatus(
        ::syscall(SYS_landlock_add_rule, fd_.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0,
        "landlock_add_rule(" + path.text() + ")");
  }

  Status Enforce() const {
    return CallStatus(::syscall(SYS_landlock_restrict_self, fd_.get(), 0) == 0,
                      "landlock_restrict_self", Error::About::kLandlock);
  }

  const LandlockRights& rights() const { return rights_; }

 private:
  static constexpr uint64_t kFileRead = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE;
  LandlockRights rights_;
  int abi_;
  UniqueFd fd_;
};

// Rules for reading when no mount covers the hidden places. Landlock allows a directory with
// everything below it and knows no exceptions, so each name beside a hidden place gets its own
// rule.
class ReadsAround {
 public:
  ReadsAround(const SandboxPlan& plan, const Ruleset& ruleset) : ruleset_(ruleset) {
    for (const HiddenPlace& place : plan.hidden) {
      // The mode keeps other users' files closed; the owner of a file can change its mode.
      struct stat facts {};
      const char* const path = place.path.text().c_str();
      const bool is_own = ::lstat(path, &facts) != 0 || facts.st_uid == ::geteuid();
      if (is_own || ::access(path, R_OK) == 0) hidden_.push_back(&place);
    }
    std::ranges::sort(hidden_, {}, TextOf);
  }

  bool is_empty() const { return hidden_.empty(); }

  Status Allow(const Path& path) const {
    if (path.text() == "/dev") return Unit{};  // AllowSystem() allows the useful entries
    const auto same = std::ranges::lower_bound(hidden_, path.text(), {}, TextOf);
    if (same != hidden_.end() && (*same)->path == path) return AllowKept(**same);
    if (path.is_root() || HoldsHidden(path)) return AllowEach(path);
    const Status allowed = ruleset_.Allow(path, ruleset_.rights().read);
    // The target of a link has its own rule; a name that has vanished needs none.
    const bool is_nothing =
        !allowed && (allowed.error().code == ELOOP || allowed.error().code == ENOENT ||
                     allowed.error().code == EACCES);
    return is_nothing ? Status(Unit{}) : allowed;
  }

 private:
  static const std::string& TextOf(const HiddenPlace* place) { return place->path.text(); }

  bool HoldsHidden(const Path& folder) const {
    const auto next = std::ranges::lower_bound(hidden_, folder.text() + "/", {}, TextOf);
    return next != hidden_.end() && (*next)->path.IsInside(folder);
  }

  Status AllowKept(const HiddenPlace& place) const {
    for (const Path& kept : place.kept) {
      if (Status s = Allow(kept); !s) return s;
    }
    return Unit{};
  }

  Status AllowEach(const Path& folder) const {
    const Result<std::vector<DirectoryEntry>> entries = RealFiles().List(folder, kMostEntries);
    if (!entries) return entries.error();
    for (const DirectoryEntry& entry : *entries) {
      if (Status s = Allow(folder.Child(entry.name)); !s) return s;
    }
    return Unit{};
  }

  const Ruleset& ruleset_;
  std::vector<const HiddenPlace*> hidden_;
};

Status AllowReads(const SandboxPlan& plan, const Ruleset& ruleset) {
  if (plan.has_namespaces()) return ruleset.Allow(Path(), ruleset.rights().read);
  const ReadsAround around(plan, ruleset);
  // The outer sandbox has its own /dev and usually hides the same places.
  if (plan.is_nested && plan.reads_all && around.is_empty()) {
    return ruleset.Allow(Path(), ruleset.rights().read);
  }
  if (plan.reads_all) {
    // Directories can be listed everywhere; reading files needs a rule.
    if (Status s = ruleset.Allow(Path(), LANDLOCK_ACCESS_FS_READ_DIR); !s) return s;
    return around.Allow(Path());
  }
  for (const PlannedPlace& place : plan.readable) {
    if (Status s = around.Allow(place.path); !s) return s;
  }
  return Unit{};
}

Status AllowWhereItIs(const Ruleset& ruleset, const Path& path, uint64_t rights) {
  Status allowed = ruleset.Allow(path, rights);
  return !allowed && allowed.error().code == ENOENT ? Unit{} : allowed;
}

// Allows what every command needs besides the plan's places: /proc, devices, and the private
// directories or, without mounts, the scratch directory.
Status AllowSystem(const SandboxPlan& plan, const Ruleset& ruleset) {
  const LandlockRights& rights = ruleset.rights();
  if (Status s = AllowReads(plan, ruleset); !s) return s;
  const uint64_t device = rights.read | rights.devices;
  // The host's /proc contains the machine's settings, which root may write even without
  // capabilities, and the writable files of all the user's processes.
  const uint64_t proc = plan.has_own_processes() ? device : rights.read;
  if (Status s = ruleset.Allow(Path::Clean("/proc"), proc); !s) return s;
  if (!plan.has_view()) {
    for (const char* name : kHostDevices) {
      if (Status s = AllowWhereItIs(ruleset, Path::Clean(name), device); !s) return s;
    }
    if (plan.scratch.is_root()) return Unit{};
    return ruleset.Allow(plan.scratch, rights.read | rights.write);
  }
  if (Status s = ruleset.Allow(Path::Clean("/dev"), device); !s) return s;
  std::vector<Path> own = {Path::Clean("/dev/shm"), Path::Clean("/run/user")};
  if (plan.private_tmp) own.push_back(TmpOf(plan));
  for (const Path& folder : own) {
    if (Status s = AllowWhereItIs(ruleset, folder, rights.read | rights.write); !s) return s;
  }
  return Unit{};
}

}  // namespace

Status KeepSignalsFromParent(int abi) {
  constexpr int kKnowsSignals = 6;
  if (abi < kKnowsSignals) return Unit{};
  LandlockRulesetAttribute attribute;
  attribute.scoped = kLandlockScopeSignal;
  const UniqueFd rules(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attribute, sizeof attribute, 0)));
  if (!rules.valid()) {
    return SystemError("landlock_create_ruleset(signals)", errno, Error::About::kLandlock);
  }
  return CallStatus(::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0,
                    "landlock_restrict_self(signals)", Error::About::kLandlock);
}

Status ForbidTcp() {
  LandlockRulesetAttribute attribute;
  attribute.handled_access_net = kLandlockBindTcp | kLandlockConnectTcp;
  const UniqueFd rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attribute,
                                                  offsetof(LandlockRulesetAttribute, scoped), 0)));
  if (!rules.valid()) {
    return SystemError("landlock_create_ruleset(TCP)", errno, Error::About::kLandlock);
  }
  return CallStatus(::syscall(SYS_landlock_restrict_self, rules.get(), 0) == 0,
                    "landlock_restrict_self(TCP)", Error::About::kLandlock);
}

Status RestrictByLandlock(const SandboxPlan& plan, const std::vector<const PlannedCache*>& caches,
                          uint16_t proxy_port) {
  Ruleset ruleset(plan.landlock_abi);
  if (Status s = ruleset.Create(plan.network.is_by_port()); !s) return s;
  if (plan.network.is_by_port()) {
    if (Status s = ruleset.AllowConnect(proxy_port); !s) return s;
  }
  if (Status s = AllowSystem(plan, ruleset); !s) return s;
  const uint64_t rights = ruleset.rights().read | ruleset.rights().write;
  for (const PlannedPlace& place : plan.writable) {
    if (Status s = ruleset.Allow(place.path, rights); !s) return s;
  }
  for (const PlannedCache* cache : caches) {
    if (Status s = ruleset.Allow(cache->path, rights); !s) return s;
  }
  // Allows writing through the mounts below it; the directories that they show stay closed through
  // any other path.
  if (!plan.saved.empty()) {
    if (Status s = ruleset.Allow(Path::Clean(kSavedFolders), ruleset.rights().write); !s) return s;
  }
  return ruleset.Enforce();
}

}  // namespace ringfence
