#include "sandbox/linux/filters.h"

#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#include "base/syscall.h"
#include "sandbox/linux/kernel_abi.h"

namespace ringfence {
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
  return kGuardNoneAtAll;
}

std::span<const sock_filter> SupervisedFilter(SupervisedSignals signals) {
  if (signals == SupervisedSignals::kYes) return kSignalsFilter;
  return kSupervisedFilter;
}

Status InstallGuard(SocketRules sockets) {
  return CallStatus(Install(GuardFilter(sockets), 0) == 0, "seccomp(guard)");
}

Result<UniqueFd> InstallSupervised(SupervisedSignals signals) {
  const std::span<const sock_filter> filter = SupervisedFilter(signals);
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
