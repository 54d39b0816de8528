#include "sandbox/linux/privileges.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/syscall.h"
#include "base/unique_fd.h"
#include "sandbox/linux/kernel_abi.h"

namespace ringfence {
namespace {

Status WriteFile(const char* path, const std::string& text) {
  const UniqueFd file = OpenFile(path, O_WRONLY);
  if (!file.valid()) return SystemError("open(" + std::string(path) + ")");
  const ssize_t put = ::write(file.get(), text.data(), text.size());
  return CallStatus(put == static_cast<ssize_t>(text.size()), "write(" + std::string(path) + ")");
}

std::string SameId(uint32_t id) { return std::to_string(id) + " " + std::to_string(id) + " 1\n"; }

// Never raises the inherited limit.
template <auto kWhat>
Status LowerLimit(rlim_t value, const char* name) {
  rlimit limit{};
  if (::prlimit(0, kWhat, nullptr, &limit) != 0) {
    return SystemError("getrlimit(" + std::string(name) + ")");
  }
  limit.rlim_cur = limit.rlim_max = std::min(value, limit.rlim_max);
  return CallStatus(::prlimit(0, kWhat, &limit, nullptr) == 0,
                    "setrlimit(" + std::string(name) + ")");
}

// Halves a limit that counts for all processes of the user: the other half is left for those
// outside.
template <auto kWhat>
Status LimitToHalfOfUser(const char* name) {
  rlimit limit{};
  if (::prlimit(0, kWhat, nullptr, &limit) != 0) {
    return SystemError("getrlimit(" + std::string(name) + ")");
  }
  return limit.rlim_max == RLIM_INFINITY ? Status(Unit{})
                                         : LowerLimit<kWhat>(limit.rlim_max / 2, name);
}

// Used without a cgroup: keeps only `cpus` of the processors that this process may use.
Status SetAsideProcessors(double cpus) {
  cpu_set_t own;
  if (::sched_getaffinity(0, sizeof own, &own) != 0) return SystemError("sched_getaffinity");
  cpu_set_t some;
  CPU_ZERO(&some);
  int left = std::max(1, static_cast<int>(std::ceil(cpus)));
  for (int i = 0; i < CPU_SETSIZE && left > 0; ++i) {
    if (!CPU_ISSET(i, &own)) continue;
    CPU_SET(i, &some);
    --left;
  }
  return CallStatus(::sched_setaffinity(0, sizeof some, &some) == 0, "sched_setaffinity");
}

}  // namespace

Status MapIdentity(uint32_t user, uint32_t group) {
  if (Status s = WriteFile("/proc/self/setgroups", "deny"); !s) return s;
  if (Status s = WriteFile("/proc/self/gid_map", SameId(group)); !s) return s;
  return WriteFile("/proc/self/uid_map", SameId(user));
}

Status LeaveKeyring() {
  const long left = ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
  return CallStatus(left >= 0 || errno == ENOSYS, "keyctl(join session keyring)");
}

Status RaiseLoopback() {
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return SystemError("socket(loopback)");
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", sizeof "lo");
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  return CallStatus(::ioctl(socket.get(), SIOCSIFFLAGS, &request) == 0, "ioctl(loopback up)");
}

Status ForbidNewPrivileges() {
  return CallStatus(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl(no new privileges)");
}

Status HideMemory() {
  return CallStatus(::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0, "prctl(dumpable)");
}

Status DropCapabilities(Kept kept) {
  // With these bits, user id 0 regains no capability, not even by execve(2), and the bits are
  // locked (capabilities(7)). Setting them takes a capability; the command's process inherits them
  // from the supervisor.
  constexpr int kBits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                        SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                        SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  const int before = ::prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
  if (before != kBits && ::prctl(PR_SET_SECUREBITS, kBits, 0, 0, 0) != 0) {
    // An ordinary user outside a namespace has no capabilities to regain.
    if (errno != EPERM || ::geteuid() == 0) return SystemError("prctl(secure bits)");
  }
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[2] = {};
  if (kept != Kept::kNothing) {
    const int capability = kept == Kept::kPtrace ? CAP_SYS_PTRACE : CAP_NET_BIND_SERVICE;
    data[0].permitted = data[0].effective = 1u << capability;
  }
  return CallStatus(::syscall(SYS_capset, &header, data) == 0, "capset");
}

Status LimitResources(const PlannedLimits& limits) {
  // With a limit of 0 the kernel still starts the host's crash handler (core(5)), which would
  // receive the memory of the process. The filter keeps the limit at 1.
  if (Status s = LowerLimit<RLIMIT_CORE>(1, "core"); !s) return s;
  if (Status s = LimitToHalfOfUser<RLIMIT_SIGPENDING>("queued signals"); !s) return s;
  if (Status s = LimitToHalfOfUser<RLIMIT_MSGQUEUE>("message queues"); !s) return s;
  if (limits.processes != 0) {
    if (Status s = LowerLimit<RLIMIT_NPROC>(limits.processes, "processes"); !s) return s;
  }
  return limits.cpus && !limits.is_by_cgroup("cpu") ? SetAsideProcessors(*limits.cpus)
                                                    : Status(Unit{});
}

Status LeaveDescriptorsInMessages() {
  constexpr rlim_t kLeft = 1024;  // one message can exceed the limit by 253
  rlimit files{};
  if (::prlimit(0, RLIMIT_NOFILE, nullptr, &files) != 0) return SystemError("getrlimit(files)");
  files.rlim_max -= std::min(kLeft, files.rlim_max / 8);
  files.rlim_cur = std::min(files.rlim_cur, files.rlim_max);
  return CallStatus(::prlimit(0, RLIMIT_NOFILE, &files, nullptr) == 0, "setrlimit(files)");
}

Status LimitMemory(const PlannedLimits& limits) {
  if (!limits.memory || limits.is_by_cgroup("memory")) return Unit{};
  return LowerLimit<RLIMIT_DATA>(*limits.memory, "data");
}

namespace {

#include "seccomp_programs.inc"

int Install(std::span<const sock_filter> filter, unsigned flags) {
  std::vector<sock_filter> copy(filter.begin(), filter.end());  // the kernel's type is not const
  const sock_fprog program{.len = static_cast<unsigned short>(copy.size()), .filter = copy.data()};
  return static_cast<int>(::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program));
}

}  // namespace

std::span<const sock_filter> GuardFilter(SocketRules sockets) {
  if (sockets == SocketRules::kUsual) return kGuardUsual;
  if (sockets == SocketRules::kNoUnix) return kGuardNoUnix;
  if (sockets == SocketRules::kTcpOnly) return kGuardTcpOnly;
  return kGuardNoneAtAll;
}

std::span<const sock_filter> SupervisedFilter(SupervisedExtras extras) {
  if (extras.signals && extras.connects) return kSignalsAndConnectsFilter;
  if (extras.signals) return kSignalsFilter;
  if (extras.connects) return kConnectsFilter;
  return kSupervisedFilter;
}

Status InstallGuard(SocketRules sockets) {
  return CallStatus(Install(GuardFilter(sockets), 0) == 0, "seccomp(guard)");
}

Result<UniqueFd> InstallSupervised(SupervisedExtras extras) {
  const std::span<const sock_filter> filter = SupervisedFilter(extras);
  // Signals that a waiting caller handles do not interrupt it: an interrupted call would be carried
  // out twice.
  UniqueFd listener(Install(filter, SECCOMP_FILTER_FLAG_NEW_LISTENER | kWaitKillable));
  if (!listener.valid() && errno == EINVAL) {  // before Linux 5.19
    listener = UniqueFd(Install(filter, SECCOMP_FILTER_FLAG_NEW_LISTENER));
  }
  if (!listener.valid()) return SystemError("seccomp(supervised)");
  return listener;
}

}  // namespace ringfence
