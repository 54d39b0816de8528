// With glibc and libstdc++: what would throw ends in std::terminate.
#include <sys/resource.h>

#include <exception>

#include "base/syscall.h"
#include "hook/fail_closed.h"

namespace ringfence {

Status BoundRuntime() {
  std::set_terminate(
      [] { Refuse("ringfence: internal error or out of memory; the call is refused\n"); });
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) return SystemError("getrlimit");
  if (limit.rlim_cur <= kMaxMemory) return Unit{};
  limit.rlim_cur = kMaxMemory;
  if (::setrlimit(RLIMIT_DATA, &limit) != 0) return SystemError("setrlimit");
  return Unit{};
}

}  // namespace ringfence
