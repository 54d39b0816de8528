#include "proxy/worker/lockdown.h"

#include <linux/landlock.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "base/not_copied.h"
#include "base/syscall.h"
#include "base/unique_fd.h"

namespace ringfence {
namespace {

// The only calls that the worker makes from here on: on descriptors that it holds, on its own
// memory, and to end.
constexpr int kWorkerCalls[] = {SCMP_SYS(write),           SCMP_SYS(readv),
                                SCMP_SYS(writev),          SCMP_SYS(recvfrom),
                                SCMP_SYS(recvmsg),         SCMP_SYS(accept),
                                SCMP_SYS(accept4),         SCMP_SYS(shutdown),
                                SCMP_SYS(close),           SCMP_SYS(getsockname),
                                SCMP_SYS(getpeername),     SCMP_SYS(getsockopt),
                                SCMP_SYS(setsockopt),      SCMP_SYS(epoll_wait),
                                SCMP_SYS(epoll_pwait),     SCMP_SYS(epoll_ctl),
                                SCMP_SYS(timerfd_settime), SCMP_SYS(poll),
                                SCMP_SYS(ppoll),           SCMP_SYS(read),
                                SCMP_SYS(futex),           SCMP_SYS(brk),
                                SCMP_SYS(munmap),          SCMP_SYS(mremap),
                                SCMP_SYS(madvise),         SCMP_SYS(clock_gettime),
                                SCMP_SYS(gettimeofday),    SCMP_SYS(getrandom),
                                SCMP_SYS(rt_sigreturn),    SCMP_SYS(rt_sigprocmask),
                                SCMP_SYS(restart_syscall), SCMP_SYS(getpid),
                                SCMP_SYS(gettid),          SCMP_SYS(exit),
                                SCMP_SYS(exit_group),      SCMP_SYS(sched_yield)};

constexpr uint64_t kNonblocking = 0x5421;           // FIONBIO
constexpr uint64_t kReadable = 0x541B;              // FIONREAD
constexpr uint64_t kFlagCommands[] = {1, 2, 3, 4};  // F_GETFD, F_SETFD, F_GETFL, F_SETFL
constexpr uint64_t kExecutable = 4;                 // PROT_EXEC
constexpr uint64_t kAnonymous = 0x20;               // MAP_ANONYMOUS

class WorkerFilter : NotCopied {
 public:
  WorkerFilter() : context_(::seccomp_init(SCMP_ACT_KILL_PROCESS)) {}
  ~WorkerFilter() { ::seccomp_release(context_); }

  Status Install(Sanitized sanitized) {
    for (const int call : kWorkerCalls) Allow(call, {});
    // Without a destination to connect to: a message can connect a socket that its host has reset
    // (tcp_fastopen in ip-sysctl.rst).
    Allow(SCMP_SYS(sendto), {{3, SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0}});
    Allow(SCMP_SYS(sendmsg), {{2, SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0}});
    // To abort.
    Allow(SCMP_SYS(tgkill), {{0, SCMP_CMP_EQ, static_cast<uint64_t>(::getpid()), 0}});
    // Requests on descriptors: nonblocking mode, bytes to read, flags.
    for (const uint64_t request : {kNonblocking, kReadable}) {
      Allow(SCMP_SYS(ioctl), {{1, SCMP_CMP_EQ, request, 0}});
    }
    for (const uint64_t command : kFlagCommands) {
      Allow(SCMP_SYS(fcntl), {{1, SCMP_CMP_EQ, command, 0}});
    }
    // Memory that is never executable.
    Allow(SCMP_SYS(mmap), {{2, SCMP_CMP_MASKED_EQ, kExecutable, 0},
                           {3, SCMP_CMP_MASKED_EQ, kAnonymous, kAnonymous}});
    Allow(SCMP_SYS(mprotect), {{2, SCMP_CMP_MASKED_EQ, kExecutable, 0}});
    if (sanitized == Sanitized::kYes) {
      Allow(SCMP_SYS(pipe2), {});
      Add(SCMP_ACT_ERRNO(EACCES), SCMP_SYS(open), {});
      Add(SCMP_ACT_ERRNO(EACCES), SCMP_SYS(openat), {});
    }
    const int failed = failed_ != 0 ? failed_ : ::seccomp_load(context_);
    return failed == 0 ? Status(Unit{}) : SystemError("seccomp(worker)", -failed);
  }

 private:
  void Allow(int call, std::initializer_list<scmp_arg_cmp> conditions) {
    Add(SCMP_ACT_ALLOW, call, conditions);
  }

  void Add(uint32_t action, int call, std::initializer_list<scmp_arg_cmp> conditions) {
    const int failed = ::seccomp_rule_add_array(
        context_, action, call, static_cast<unsigned>(conditions.size()), conditions.begin());
    if (failed != 0) failed_ = failed;
  }

  scmp_filter_ctx context_;
  int failed_ = 0;
};

// Handles all rights to files, and grants none.
Status ForbidFiles() {
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi <= 0) return Unit{};  // the filter forbids the same
  // Number of rights to files by version (linux/landlock.h of later kernels).
  constexpr int kRights[] = {13, 14, 15, 15, 16};
  const auto version = static_cast<size_t>(std::min<long>(abi, std::size(kRights)));
  landlock_ruleset_attr rules{};
  rules.handled_access_fs = (uint64_t{1} << kRights[version - 1]) - 1;
  const UniqueFd ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0)));
  const bool is_set =
      ruleset.valid() && ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) == 0;
  return CallStatus(is_set, "landlock(worker)");
}

}  // namespace

Status ConfineWorker(Sanitized sanitized) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return SystemError("prctl(no new privileges)");
  // Its memory has the traffic of the session.
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return SystemError("prctl(dumpable)");
  constexpr rlimit kNone{0, 0};
  if (::setrlimit(RLIMIT_CORE, &kNone) != 0) return SystemError("setrlimit(core)");
  if (::setrlimit(RLIMIT_NPROC, &kNone) != 0) return SystemError("setrlimit(processes)");
  if (Status s = ForbidFiles(); !s) return s;
  return WorkerFilter().Install(sanitized);
}

}  // namespace ringfence
