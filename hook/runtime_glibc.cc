// With glibc and libstdc++, every exception ends in std::terminate.
#include <sys/resource.h>

#include <csignal>
#include <exception>

#include "base/syscall.h"
#include "hook/fail_closed.h"

namespace ringfence {

namespace {

// glibc aborts if it detects a corrupted heap or stack; musl never does.
Status CatchAbort() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    Refuse("ringfence: internal error (SIGABRT); the call is refused\n");
  };
  action.sa_flags = SA_ONSTACK;
  if (::sigaction(SIGABRT, &action, nullptr) != 0) return SystemError("sigaction");
  return Unit{};
}

}  // namespace

Status BoundRuntime() {
  if (Status s = CatchAbort(); !s) return s;
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
