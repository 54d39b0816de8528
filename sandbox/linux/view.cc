#include "sandbox/linux/view.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/inside.h"
#include "base/syscall.h"
#include "sandbox/linux/mounts.h"

namespace ringfence {
namespace {

using Kind = PlannedPlace::Kind;

// What covers a hidden directory and a hidden file: nobody can open either. In the sandbox's own
// /dev, which is the one private folder that is always there.
constexpr const char* kCoverDirectory = "/dev/.ringfence/directory";
constexpr const char* kCoverFile = "/dev/.ringfence/file";

constexpr std::array kDevices = {"/dev/null", "/dev/zero",   "/dev/full",
                                 "/dev/tty",  "/dev/random", "/dev/urandom"};

struct DeviceLink {
  const char* name;
  const char* target;
};
constexpr DeviceLink kDeviceLinks[] = {
    {"/dev/fd", "/proc/self/fd"},       {"/dev/stdin", "/proc/self/fd/0"},
    {"/dev/stdout", "/proc/self/fd/1"}, {"/dev/stderr", "/proc/self/fd/2"},
    {"/dev/ptmx", "pts/ptmx"},          {"/dev/core", "/proc/kcore"}};

// What of /proc only looks at the user id, which a root without capabilities still has.
constexpr std::array kSealedInProc = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus",
                                      "/proc/fs"};

// System folders that are links into /usr on most systems: a new root needs the links.
constexpr std::array kSystemLinks = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

Status MakeLink(const char* target, const char* name) {
  if (::symlink(target, name) != 0) return SystemError("symlink(" + std::string(name) + ")");
  return Unit{};
}

class View {
 public:
  View(const SandboxPlan& plan, int audit) : plan_(plan), audit_(audit) {}

  Status Build() {
    if (Status s = CloneSources(); !s) return s;
    const bool all_writable = std::ranges::any_of(
        plan_.writable, [](const PlannedPlace& place) { return place.path.is_root(); });
    if (Status s = SealEverything(all_writable ? Writable::kYes : Writable::kNo); !s) return s;
    if (!plan_.reads_all) {
      if (Status s = BeginNewRoot(); !s) return s;
    }
    if (Status s = MountPrivate(); !s) return s;
    if (Status s = MountDevices(); !s) return s;
    if (Status s = AttachAll(); !s) return s;
    return Unit{};
  }

 private:
  // One thing to mount. All are done from the outermost to the innermost path, so that none covers
  // another by accident.
  struct Mount {
    enum class What : uint8_t { kBind, kOwn, kHide, kSeal };
    What what = What::kBind;
    Path path;
    Kind kind = Kind::kDirectory;
    UniqueFd tree;                        // for kBind: opened before anything was covered
    const HiddenPlace* hidden = nullptr;  // for kHide
  };

  Status CloneSources() {
    if (!plan_.session_tmp.is_root()) {
      Result<UniqueFd> tree = CloneTree(plan_.session_tmp, Writable::kYes);
      if (!tree) return tree.error();
      session_tmp_ = std::move(*tree);
    }
    if (Status s = CloneWritable(); !s) return s;
    for (const PlannedPlace& place : plan_.readable) {
      if (Status s = AddBind(place.path, place.kind, Writable::kNo); !s) return s;
    }
    for (const HiddenPlace& place : plan_.hidden) {
      for (const Path& kept : place.kept) {
        if (Status s = AddBind(kept, Kind::kDirectory, Writable::kNo); !s) return s;
      }
      Add(Mount::What::kHide, place.path, place.kind).hidden = &place;
    }
    for (const Path& socket : plan_.sockets) Add(Mount::What::kHide, socket, Kind::kFile);
    for (const PlannedPlace& place : plan_.sealed) Add(Mount::What::kSeal, place.path, place.kind);
    for (size_t i = 0; i < kDevices.size(); ++i) {
      devices_[i] = OpenTree(AT_FDCWD, kDevices[i]);
      if (!devices_[i].valid()) return SystemError("open_tree(" + std::string(kDevices[i]) + ")");
    }
    std::ranges::stable_sort(mounts_, {}, &Mount::path);
    return Unit{};
  }

  Status CloneWritable() {
    for (const PlannedPlace& place : plan_.writable) {
      if (place.is_own) {
        Add(Mount::What::kOwn, place.path, place.kind);
        continue;
      }
      if (Status s = AddBind(place.path, place.kind, Writable::kYes); !s) return s;
    }
    for (const Path& folder : SavedFolders(plan_)) {
      Result<UniqueFd> tree = CloneTree(folder, Writable::kYes);
      if (!tree) return tree.error();
      saved_.push_back(std::move(*tree));
    }
    return Unit{};
  }

  Mount& Add(Mount::What what, const Path& path, Kind kind) {
    Mount& mount = mounts_.emplace_back();
    mount.what = what;
    mount.path = path;
    mount.kind = kind;
    return mount;
  }

  Status AddBind(const Path& path, Kind kind, Writable writable) {
    if (path.is_root()) return Unit{};  // SealEverything() left it writable
    const auto same = std::ranges::find(mounts_, path, &Mount::path);
    if (same != mounts_.end() && same->what == Mount::What::kBind) return Unit{};
    Result<UniqueFd> tree = CloneTree(path, writable);
    if (!tree) return tree.error();
    Add(Mount::What::kBind, path, kind).tree = std::move(*tree);
    return Unit{};
  }

  // What may be read is all there is: an empty root, into which everything is bound.
  Status BeginNewRoot() {
    for (const char* name : kSystemLinks) {
      std::array<char, 256> target{};
      const ssize_t size = ::readlink(name, target.data(), target.size() - 1);
      if (size > 0) links_.emplace_back(name, target.data());
    }
    if (Status s = MountMemory("/tmp", "mode=0755"); !s) return s;
    if (::mkdir("/tmp/old", 0700) != 0) return SystemError("mkdir(/tmp/old)");
    if (::syscall(SYS_pivot_root, "/tmp", "/tmp/old") != 0) return SystemError("pivot_root");
    if (::chdir("/") != 0) return SystemError("chdir(/)");
    for (const char* name : {"/dev", "/proc", "/run", "/tmp"}) {
      if (::mkdir(name, 0755) != 0) return SystemError("mkdir(" + std::string(name) + ")");
    }
    for (const auto& [name, target] : links_) {
      if (Status s = MakeLink(target.c_str(), name.c_str()); !s) return s;
    }
    return Unit{};
  }

  // No larger than what may be used of memory, which files in it are not counted as without a
  // cgroup.
  std::string Sized(const char* options) const {
    if (!plan_.limits.memory) return options;
    return std::string(options) + ",size=" + std::to_string(*plan_.limits.memory);
  }

  Status MountPrivate() {
    if (plan_.private_tmp) {
      Status s = session_tmp_.valid() ? AttachTree(session_tmp_, Path::Clean("/tmp"))
                                      : MountMemory("/tmp", Sized("mode=1777"));
      if (!s) return s;
    }
    if (Status s = MountMemory("/run", Sized("mode=0755")); !s) {
      return s.error().what == "ENOENT" ? Status(Unit{}) : s;
    }
    const Path own = Path::Clean("/run/user/" + std::to_string(plan_.user));
    if (Status s = MakeMountPoint(own, Kind::kDirectory); !s) return s;
    if (::chmod(own.text().c_str(), 0700) != 0) return SystemError("chmod(/run/user)");
    return Unit{};
  }

  Status MountDevices() {
    if (Status s = MountMemory("/dev", "mode=0755"); !s) return s;
    for (const char* name : {"/dev/pts", "/dev/shm", "/dev/.ringfence"}) {
      if (::mkdir(name, 0755) != 0) return SystemError("mkdir(" + std::string(name) + ")");
    }
    for (size_t i = 0; i < kDevices.size(); ++i) {
      const Path path = Path::Clean(kDevices[i]);
      if (Status s = MakeMountPoint(path, Kind::kFile); !s) return s;
      if (Status s = AttachTree(devices_[i], path); !s) return s;
    }
    for (const DeviceLink& link : kDeviceLinks) {
      if (Status s = MakeLink(link.target, link.name); !s) return s;
    }
    if (::mkdir(kCoverDirectory, 0) != 0) return SystemError("mkdir(cover)");
    if (::mknod(kCoverFile, S_IFREG, 0) != 0) return SystemError("mknod(cover)");
    if (plan_.supervised && ::mknod(kRulesName, S_IFREG, 0) != 0) {
      return SystemError("mknod(rules)");
    }
    if (Status s = MountMemory("/dev/shm", Sized("mode=1777")); !s) return s;
    if (::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
                "newinstance,ptmxmode=0666,mode=0620") != 0) {
      return SystemError("mount(/dev/pts)");
    }
    if (Status s = AttachSaved(); !s) return s;
    if (Status s = NameAuditSocket(); !s) return s;
    return SealMount("/dev");
  }

  Status AttachSaved() {
    if (saved_.empty()) return Unit{};
    const Path folders = Path::Clean(kSavedFolders);
    for (size_t i = 0; i < saved_.size(); ++i) {
      const Path folder = folders.Child(std::to_string(i));
      if (Status s = MakeMountPoint(folder, Kind::kDirectory); !s) return s;
      if (Status s = AttachTree(saved_[i], folder); !s) return s;
    }
    if (::chmod(kSavedFolders, 0) != 0) return SystemError("chmod(saved)");
    return Unit{};
  }

  Status NameAuditSocket() {
    if (audit_ < 0) return Unit{};
    constexpr int kWaiting = 32;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, kAuditSocket, sizeof kAuditSocket);
    const void* bytes = &address;
    if (::bind(audit_, static_cast<const sockaddr*>(bytes), sizeof address) != 0) {
      return SystemError("bind(audit)");
    }
    if (::listen(audit_, kWaiting) != 0) return SystemError("listen(audit)");
    return Unit{};
  }

  Status AttachAll() {
    for (const Mount& mount : mounts_) {
      if (Status s = Attach(mount); !s) return s;
    }
    return Unit{};
  }

  Status Attach(const Mount& mount) {
    switch (mount.what) {
      case Mount::What::kBind:
        return Bind(mount);
      case Mount::What::kOwn:
        return MountOwn(mount);
      case Mount::What::kHide:
        return Hide(mount);
      case Mount::What::kSeal:
        break;
    }
    return SealPlace(mount.path);
  }

  // Most places are there; what a private folder covers is not.
  static Status Bind(const Mount& mount) {
    Status attached = AttachTree(mount.tree, mount.path);
    if (attached || attached.error().what != "ENOENT") return attached;
    if (Status s = MakeMountPoint(mount.path, mount.kind); !s) return s;
    return AttachTree(mount.tree, mount.path);
  }

  Status MountOwn(const Mount& mount) const {
    Status mounted = MountMemory(mount.path.text(), Sized("mode=0700"));
    if (mounted || mounted.error().what != "ENOENT") return mounted;
    if (Status s = MakeMountPoint(mount.path, mount.kind); !s) return s;
    return MountMemory(mount.path.text(), Sized("mode=0700"));
  }

  Status Hide(const Mount& mount) {
    Status hidden = Cover(mount);
    if (hidden) return hidden;
    const std::string& what = hidden.error().what;
    // With `reads: listed` most of what is hidden is not there at all; a server may have ended
    // meanwhile, or listens behind a folder that is closed to everybody in here.
    const bool is_socket = mount.hidden == nullptr;
    const bool is_gone = what == "ENOENT" && (is_socket || !plan_.reads_all);
    const bool is_closed = is_socket && (what == "EACCES" || what == "ENOTDIR");
    return is_gone || is_closed ? Status(Unit{}) : hidden;
  }

  static Status Cover(const Mount& mount) {
    if (mount.hidden != nullptr && !mount.hidden->kept.empty()) {
      if (Status s = MountMemory(mount.path.text(), "mode=0755"); !s) return s;
      for (const Path& kept : mount.hidden->kept) {
        if (Status s = MakeMountPoint(kept, Kind::kDirectory); !s) return s;
      }
      return SealMount(mount.path.text());
    }
    const bool is_directory = mount.kind == Kind::kDirectory;
    // As read-only as the sealed /dev that it is a part of.
    const UniqueFd cover = OpenTree(AT_FDCWD, is_directory ? kCoverDirectory : kCoverFile);
    if (!cover.valid()) return SystemError("open_tree(cover)");
    return AttachTree(cover, mount.path);
  }

  const SandboxPlan& plan_;
  int audit_;
  std::vector<Mount> mounts_;
  std::vector<UniqueFd> saved_;  // SavedFolders() of the plan
  UniqueFd session_tmp_;
  std::array<UniqueFd, kDevices.size()> devices_;
  std::vector<std::pair<std::string, std::string>> links_;
};

}  // namespace

namespace {

// Before Linux 6.14 the file is the whole machine's, and root could write it from here.
bool HasOwnNumbers() {
  utsname name{};
  if (::uname(&name) != 0) return false;
  char* end = nullptr;
  const long major = std::strtol(name.release, &end, 10);
  const long minor = *end == '.' ? std::strtol(end + 1, nullptr, 10) : 0;
  return major > 6 || (major == 6 && minor >= 14);
}

// RLIMIT_NPROC does not count for the host's root. A process namespace that has a highest number of
// its own cannot have more processes.
void LimitNumbers(uint64_t processes) {
  constexpr uint64_t kLeast = 301;  // RESERVED_PIDS + 1
  if (!HasOwnNumbers()) return;
  const UniqueFd file(::open("/proc/sys/kernel/pid_max", O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return;
  const std::string text = std::to_string(std::max(kLeast, processes));
  [[maybe_unused]] const ssize_t put = ::write(file.get(), text.data(), text.size());
}

}  // namespace

Status MountProc(const SandboxPlan& plan) {
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
    return SystemError("mount(/proc)");
  }
  if (plan.user != 0) return Unit{};
  if (plan.limits.processes != 0) LimitNumbers(plan.limits.processes);
  for (const char* name : kSealedInProc) {
    Status sealed = SealPlace(Path::Clean(name));
    if (!sealed && sealed.error().what != "ENOENT") return sealed;
  }
  return Unit{};
}

Status LeaveOldRoot(const SandboxPlan& plan) {
  if (plan.reads_all) return Unit{};
  if (!plan.own_proc) {
    const Result<UniqueFd> tree = CloneTree(Path::Clean("/old/proc"), Writable::kNo);
    if (!tree) return tree.error();
    if (Status s = AttachTree(*tree, Path::Clean("/proc")); !s) return s;
  }
  if (::umount2("/old", MNT_DETACH) != 0) return SystemError("umount2(old root)");
  if (::rmdir("/old") != 0) return SystemError("rmdir(old root)");
  return SealMount("/");
}

Status BuildView(const SandboxPlan& plan, int audit) { return View(plan, audit).Build(); }

}  // namespace ringfence
