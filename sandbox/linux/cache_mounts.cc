#include "sandbox/linux/cache_mounts.h"

#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "base/sha256.h"
#include "base/syscall.h"
#include "sandbox/linux/kernel_abi.h"
#include "sandbox/linux/mounts.h"

namespace ringfence {
namespace {

// A mount that is configured option by option (fsopen(2)).
class NewMount {
 public:
  explicit NewMount(const char* type)
      : context_(static_cast<int>(::syscall(SYS_fsopen, type, kCloseOnExec))) {}

  void Set(const char* key, const std::string& value) { Configure(kSetString, key, value.c_str()); }
  void Set(const char* key) { Configure(kSetFlag, key, nullptr); }

  // Returns an invalid descriptor if any step failed.
  UniqueFd Make() {
    Configure(kCreate, nullptr, nullptr);
    if (!is_good_) return {};
    return UniqueFd(static_cast<int>(
        ::syscall(SYS_fsmount, context_.get(), kCloseOnExec, kMountNoSetUser | kMountNoDevices)));
  }

 private:
  // linux/mount.h
  static constexpr unsigned kCloseOnExec = 1;
  static constexpr unsigned kSetFlag = 0;
  static constexpr unsigned kSetString = 1;
  static constexpr unsigned kCreate = 6;

  void Configure(unsigned command, const char* key, const char* value) {
    is_good_ = is_good_ && context_.valid() &&
               ::syscall(SYS_fsconfig, context_.get(), command, key, value, 0) == 0;
  }

  UniqueFd context_;
  bool is_good_ = true;
};

std::string DescriptorPath(const UniqueFd& fd) {
  return "/proc/self/fd/" + std::to_string(fd.get());
}

bool MakeFolder(const Path& path) {
  return ::mkdir(path.text().c_str(), 0700) == 0 || errno == EEXIST;
}

// Removes the mark of an earlier "volatile" mount, with which the kernel refuses the next one:
// after a crash of the machine the changes can be incomplete. A session does not outlive a crash.
void ForgetMark(const std::string& folder) {
  const std::string mark = folder + "/volatile";
  ::unlink((mark + "/dirty").c_str());
  if (::rmdir(mark.c_str()) == 0) ::rmdir(folder.c_str());
}

}  // namespace

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
  return ::umount2("/tmp", MNT_DETACH) == 0 ? Status(Unit{}) : SystemError("umount2(caches)");
}

UniqueFd CacheMounts::MakeOne(size_t number, const Path& upper) const {
  const Path written = upper.Child("written");
  const Path work = upper.Child("work");
  const UniqueFd& source = sources_[number];
  if (!source.valid() || !MakeFolder(upper) || !MakeFolder(written) || !MakeFolder(work)) return {};
  ForgetMark(work.text() + "/work/incompat");
  NewMount overlay("overlay");
  overlay.Set("lowerdir", DescriptorPath(source));
  overlay.Set("upperdir", written.text());
  overlay.Set("workdir", work.text());
  overlay.Set("userxattr");
  overlay.Set("volatile");
  return overlay.Make();
}

}  // namespace ringfence
