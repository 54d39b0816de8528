#include "sandbox/linux/overlay.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "base/syscall.h"
#include "sandbox/linux/kernel_abi.h"
#include "staging/store/names.h"

namespace ringfence {
namespace {

// A mount that is configured option by option (fsopen(2)). After a failed step, the others do
// nothing.
class NewMount {
 public:
  explicit NewMount(const char* type)
      : context_(static_cast<int>(::syscall(SYS_fsopen, type, kCloseOnExec))) {
    if (!context_.valid()) error_ = errno;
  }

  void Set(const char* key, const std::string& value) { Configure(kSetString, key, value.c_str()); }
  void Set(const char* key) { Configure(kSetFlag, key, nullptr); }

  Result<UniqueFd> Make() {
    Configure(kCreate, nullptr, nullptr);
    if (error_ != 0) return Failure("mount(overlay)");
    UniqueFd mount(static_cast<int>(
        ::syscall(SYS_fsmount, context_.get(), kCloseOnExec, kMountNoSetUser | kMountNoDevices)));
    if (!mount.valid()) return SystemError("fsmount(overlay)");
    return mount;
  }

 private:
  // linux/mount.h
  static constexpr unsigned kCloseOnExec = 1;
  static constexpr unsigned kSetFlag = 0;
  static constexpr unsigned kSetString = 1;
  static constexpr unsigned kCreate = 6;

  void Configure(unsigned command, const char* key, const char* value) {
    if (error_ != 0) return;
    const long done = ::syscall(SYS_fsconfig, context_.get(), command, key, value, 0);
    if (done != 0) error_ = errno;
  }

  // The kernel's log of this mount has lines such as "e overlay: failed to clone lowerpath".
  Error Failure(const char* call) const {
    Error error = SystemError(call, error_);
    std::array<char, 256> line{};
    const ssize_t size = ::read(context_.get(), line.data(), line.size());
    constexpr ssize_t kMark = 2;
    if (size <= kMark) return error;
    std::string text(line.data() + kMark, static_cast<size_t>(size - kMark));
    while (text.ends_with('\n')) text.pop_back();
    error.what += " (" + text + ")";
    return error;
  }

  UniqueFd context_;
  int error_ = 0;
};

Status MakeFolder(const Path& path) {
  const bool is_there = ::mkdir(path.text().c_str(), 0700) == 0 || errno == EEXIST;
  return CallStatus(is_there, "mkdir(" + path.text() + ")");
}

// Removes the mark of an earlier "volatile" mount, with which the kernel refuses the next one:
// after a crash of the machine the changes can be incomplete. The caller knows whether there was
// one.
void ForgetMark(const Path& work) {
  const std::string folder = work.text() + "/work/incompat";
  const std::string mark = folder + "/volatile";
  ::unlink((mark + "/dirty").c_str());
  if (::rmdir(mark.c_str()) == 0) ::rmdir(folder.c_str());
}

// The mount's top directory has the permissions and the time of the upper one.
Status LookLike(const UniqueFd& lower, const Path& written) {
  struct stat facts {};
  if (::fstat(lower.get(), &facts) != 0) return SystemError("fstat(lower)");
  constexpr mode_t kPermissions = 07777;
  if (::chmod(written.text().c_str(), facts.st_mode & kPermissions) != 0) {
    return SystemError("chmod(" + written.text() + ")");
  }
  const std::array<timespec, 2> times{facts.st_atim, facts.st_mtim};
  return CallStatus(::utimensat(AT_FDCWD, written.text().c_str(), times.data(), 0) == 0,
                    "utimensat(" + written.text() + ")");
}

}  // namespace

Result<UniqueFd> MakeOverlay(const UniqueFd& lower, const Path& folder) {
  const Path written = folder.Child(kStageWritten);
  const Path work = folder.Child(kStageWork);
  for (const Path& path : {folder, written, work}) {
    if (Status s = MakeFolder(path); !s) return s.error();
  }
  if (Status s = LookLike(lower, written); !s) return s.error();
  ForgetMark(work);
  NewMount overlay("overlay");
  overlay.Set("lowerdir", "/proc/self/fd/" + std::to_string(lower.get()));
  overlay.Set("upperdir", written.text());
  overlay.Set("workdir", work.text());
  overlay.Set("userxattr");
  overlay.Set("volatile");
  return overlay.Make();
}

}  // namespace ringfence
