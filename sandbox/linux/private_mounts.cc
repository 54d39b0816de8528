#include "sandbox/linux/private_mounts.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
#include "sandbox/landlock_rights.h"

namespace ringfence {
namespace {

struct DeviceLink {
  const char* name;
  const char* target;
};
constexpr DeviceLink kDeviceLinks[] = {
    {"/dev/fd", "/proc/self/fd"},       {"/dev/stdin", "/proc/self/fd/0"},
    {"/dev/stdout", "/proc/self/fd/1"}, {"/dev/stderr", "/proc/self/fd/2"},
    {"/dev/ptmx", "pts/ptmx"},          {"/dev/core", "/proc/kcore"}};

// Entries of /proc that check only the user id, which root keeps even without capabilities.
constexpr std::array kSealedInProc = {"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus",
                                      "/proc/fs"};

// True if pid_max belongs to the process namespace. Before Linux 6.14 it belongs to the whole
// machine, and root could write it from here.
bool HasOwnNumbers() {
  utsname name{};
  if (::uname(&name) != 0) return false;
  char* end = nullptr;
  const long major = std::strtol(name.release, &end, 10);
  const long minor = *end == '.' ? std::strtol(end + 1, nullptr, 10) : 0;
  return major > 6 || (major == 6 && minor >= 14);
}

// Sets the pid_max of the process namespace, which bounds its number of processes. RLIMIT_NPROC
// does not apply to the host's root.
void LimitNumbers(uint64_t processes) {
  constexpr uint64_t kLeast = 301;  // RESERVED_PIDS + 1
  if (!HasOwnNumbers()) return;
  const UniqueFd file = OpenFile("/proc/sys/kernel/pid_max", O_WRONLY);
  if (!file.valid()) return;
  const std::string text = std::to_string(std::max(kLeast, processes));
  [[maybe_unused]] const ssize_t put = ::write(file.get(), text.data(), text.size());
}

// Limits this user namespace to half of a resource that the kernel counts both per user and per
// namespace. The other half is left for the programs outside.
Status LimitToHalf(const char* counted, const char* of_user) {
  const std::string most = std::string("/proc/sys/fs/") + of_user;
  const Result<std::string> text = ReadSystemFile(most);
  if (!text) return text.error().code == ENOENT ? Status(Unit{}) : text.error();
  const std::string half = std::to_string(std::strtoull(text->c_str(), nullptr, 10) / 2);
  const std::string own = std::string("/proc/sys/user/max_") + counted;
  const UniqueFd file = OpenFile(own.c_str(), O_WRONLY);
  const bool is_put = file.valid() && ::write(file.get(), half.data(), half.size()) ==
                                          static_cast<ssize_t>(half.size());
  return CallStatus(is_put, "write(" + own + ")");
}

}  // namespace

// With a new root, /tmp is never a link.
Path TmpOf(const SandboxPlan& plan) { return plan.reads_all ? plan.tmp : Path::Clean("/tmp"); }

Status PrivateMounts::CloneFolders() {
  if (!plan_.session_tmp.is_root()) {
    if (Status s = CloneTree(plan_.session_tmp, Writable::kYes).MoveTo(session_tmp_); !s) return s;
  }
  for (const Path& folder : SavedFolders(plan_)) {
    if (Status s = CloneTree(folder, Writable::kYes).MoveTo(saved_.emplace_back()); !s) return s;
  }
  return Unit{};
}

// A read-only mount does not prevent writes to a device, but it protects the device's mode.
Status PrivateMounts::CloneDevices(Writable root) {
  for (const char* name : kHostDevices) {
    Result<UniqueFd> device =
        root == Writable::kNo ? CloneAsItIs(name) : CloneTree(Path::Clean(name), Writable::kNo);
    if (!device) return device.error();
    devices_.push_back(std::move(*device));
  }
  return Unit{};
}

// Mounts a tmpfs no larger than the memory limit, since without a cgroup files do not count as
// memory. Without a limit, the kernel's default applies: half of the machine's memory.
Status PrivateMounts::MountShared() {
  if (::mkdir(kMemory, 0) != 0) return SystemError("mkdir(memory)");
  std::string options = "mode=0";
  if (plan_.limits.memory) options += ",size=" + std::to_string(*plan_.limits.memory);
  return MountMemory(kMemory, options);
}

Status PrivateMounts::MountEmpty(const Path& path, mode_t mode) {
  const Path folder = Path::Clean(kMemory).Child(std::to_string(folders_++));
  if (::mkdir(folder.text().c_str(), mode) != 0) return SystemError("mkdir(memory)");
  const Result<UniqueFd> tree = CloneAsItIs(folder.text());
  return tree ? AttachTree(*tree, path) : tree.error();
}

Status PrivateMounts::MountText(const PlannedFile& text) {
  const Path path = Path::Clean(kMemory).Child(std::to_string(folders_++));
  {
    const UniqueFd file(::open(path.text().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444));
    if (!file.valid()) return SystemError("open(memory)");
    if (Status s = WriteAll(file.get(), text.text); !s) return s;
  }
  const Result<UniqueFd> tree = CloneAsItIs(path.text());
  if (!tree) return tree.error();
  if (Status s = AttachTree(*tree, text.path); !s) return s;
  return SealMount(text.path.text());
}

Status PrivateMounts::Mount() {
  if (Status s = MountDevices(); !s) return s;
  if (plan_.private_tmp) {
    const Path tmp = TmpOf(plan_);
    Status s = session_tmp_.valid() ? AttachTree(session_tmp_, tmp) : MountEmpty(tmp, 01777);
    if (!s) return s;
  }
  if (Status s = MountEmpty(Path::Clean("/run"), 0755); !s) {
    return s.error().code == ENOENT ? Status(Unit{}) : s;
  }
  const Path own = Path::Clean("/run/user/" + std::to_string(plan_.user));
  if (Status s = MakeMountPoint(own, PlaceKind::kDirectory); !s) return s;
  return CallStatus(::chmod(own.text().c_str(), 0700) == 0, "chmod(/run/user)");
}

Status PrivateMounts::MountDevices() {
  if (Status s = MountMemory("/dev", "mode=0755"); !s) return s;
  for (const char* name : {"/dev/pts", "/dev/shm", "/dev/.ringfence"}) {
    if (::mkdir(name, 0755) != 0) return SystemError("mkdir(" + std::string(name) + ")");
  }
  if (Status s = AttachDevices(); !s) return s;
  if (Status s = MakeDevicePoints(); !s) return s;
  if (::mkdir(kCoverDirectory, 0) != 0) return SystemError("mkdir(cover)");
  if (::mknod(kCoverFile, S_IFREG, 0) != 0) return SystemError("mknod(cover)");
  if (plan_.supervised && ::mknod(kRulesName, S_IFREG, 0) != 0) return SystemError("mknod(rules)");
  if (Status s = MountShared(); !s) return s;
  if (Status s = MountEmpty(Path::Clean("/dev/shm"), 01777); !s) return s;
  // The kernel has 3,072 pseudoterminals for all users of the machine.
  if (::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
              "newinstance,ptmxmode=0666,mode=0620,max=256") != 0) {
    return SystemError("mount(/dev/pts)");
  }
  if (Status s = AttachSaved(); !s) return s;
  if (Status s = NameAuditSocket(); !s) return s;
  return SealMount("/dev");
}

Status PrivateMounts::AttachDevices() {
  for (size_t i = 0; i < std::size(kHostDevices); ++i) {
    if (Status s = MakeMountPoint(Path::Clean(kHostDevices[i]), PlaceKind::kFile); !s) return s;
    if (Status s = AttachToOwn(devices_[i], kHostDevices[i]); !s) return s;
  }
  for (const DeviceLink& link : kDeviceLinks) {
    if (::symlink(link.target, link.name) != 0) {
      return SystemError("symlink(" + std::string(link.name) + ")");
    }
  }
  return Unit{};
}

// Creates mount points for the policy's paths below /dev, before /dev becomes read-only.
Status PrivateMounts::MakeDevicePoints() const {
  for (const auto* places : {&plan_.writable, &plan_.readable}) {
    for (const PlannedPlace& place : *places) {
      if (!place.path.IsInside(Path::Clean("/dev"))) continue;
      if (Status s = MakeMountPoint(place.path, place.kind); !s) return s;
    }
  }
  return Unit{};
}

Status PrivateMounts::AttachSaved() {
  if (saved_.empty()) return Unit{};
  const Path folders = Path::Clean(kSavedFolders);
  for (size_t i = 0; i < saved_.size(); ++i) {
    const Path folder = folders.Child(std::to_string(i));
    if (Status s = MakeMountPoint(folder, PlaceKind::kDirectory); !s) return s;
    if (Status s = AttachTree(saved_[i], folder); !s) return s;
  }
  return CallStatus(::chmod(kSavedFolders, 0) == 0, "chmod(saved)");
}

Status PrivateMounts::NameAuditSocket() const {
  if (audit_ < 0) return Unit{};
  constexpr int kWaiting = 32;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, kLauncherSocket, sizeof kLauncherSocket);
  const void* bytes = &address;
  if (::bind(audit_, static_cast<const sockaddr*>(bytes), sizeof address) != 0) {
    return SystemError("bind(audit)");
  }
  return CallStatus(::listen(audit_, kWaiting) == 0, "listen(audit)");
}

Status MountProc(const SandboxPlan& plan) {
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
    return SystemError("mount(/proc)");
  }
  if (Status s = LimitToHalf("inotify_instances", "inotify/max_user_instances"); !s) return s;
  if (Status s = LimitToHalf("inotify_watches", "inotify/max_user_watches"); !s) return s;
  if (plan.user != 0) return Unit{};
  if (plan.limits.processes != 0) LimitNumbers(plan.limits.processes);
  for (const char* name : kSealedInProc) {
    Status sealed = SealPlace(Path::Clean(name));
    if (!sealed && sealed.error().code != ENOENT) return sealed;
  }
  return Unit{};
}

}  // namespace ringfence
