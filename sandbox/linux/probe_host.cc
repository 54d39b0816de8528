// ProbeHost(): finds out what a plan must know about this host, by trying the calls rather than
// comparing versions.
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/inside.h"
#include "base/syscall.h"
#include "base/unique_fd.h"
#include "sandbox/backend.h"
#include "sandbox/linux/cgroup.h"
#include "sandbox/linux/unix_sockets.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

// Returns why the host's crash handler would receive the memory of a crashed process (core(5)), or
// "". With a limit of 1 the kernel does not start the handler, but a handler that listens at a
// socket is notified of every crash.
Result<std::string> WhyCrashesAreHandled() {
  constexpr const char* kPattern = "/proc/sys/kernel/core_pattern";
  const UniqueFd file = OpenFile(kPattern, O_RDONLY);
  // A kernel without core files has no crash handler.
  if (!file.valid() && errno == ENOENT) return std::string();
  const Result<std::string> pattern = ReadAll(file.get(), 4096, kPattern);
  if (!pattern) return pattern.error();
  if (pattern->starts_with('@')) {
    return std::string("it listens at a socket (kernel.core_pattern)");
  }
  if (!pattern->starts_with('|')) return std::string();
  rlimit limit{};
  if (::getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_max != 0) return std::string();
  return std::string(
      "the hard limit for core files is 0, and only 1 keeps the kernel from starting it");
}

// The environment is not trusted to detect an outer sandbox. A ringfence sandbox has a filter...
bool HasFilter() {
  return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
         ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
}

// ...and this directory, in its own /dev that no process inside can write to...
bool IsInsideView() {
  struct stat cover {};
  struct statfs devices {};
  constexpr long kTmpfs = 0x01021994;
  return ::lstat("/dev/.ringfence/directory", &cover) == 0 && S_ISDIR(cover.st_mode) &&
         (cover.st_mode & 0777) == 0 && ::statfs("/dev", &devices) == 0 &&
         devices.f_type == kTmpfs && (devices.f_flags & ST_RDONLY) != 0;
}

// ...or, if nothing can be mounted, a supervisor that rejects an empty set of rules (EINVAL).
// Without a supervisor the name does not exist (ENOENT).
bool IsSupervised() {
  const UniqueFd none(::memfd_create("none", MFD_CLOEXEC));
  return none.valid() && ::linkat(none.get(), "", AT_FDCWD, kRulesName, AT_EMPTY_PATH) != 0 &&
         errno == EINVAL;
}

}  // namespace

HostFacts ProbeHost(const SandboxRules& rules) {
  HostFacts facts;
  if (HasFilter()) {
    facts.inside_view = IsInsideView();
    facts.is_inside = facts.inside_view || IsSupervised();
  }
  utsname name{};
  if (::uname(&name) == 0) facts.kernel = std::string(name.sysname) + " " + name.release;
  facts.user = ::geteuid();
  facts.group = ::getegid();
  if (rules.limits_together()) {
    Delegation delegation = FindDelegation(WantedControllers(rules));
    facts.cgroup = std::move(delegation.folder);
    facts.controllers = std::move(delegation.controllers);
    if (std::ranges::find(facts.controllers, "io") != facts.controllers.end()) {
      facts.disks = FindDisks();
    }
  }
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi <= 0) facts.landlock_error = errno;
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) == static_cast<ssize_t>(sizeof number)) {
    facts.scratch = ScratchFolder(number);
  }
  Result<std::string> handler = WhyCrashesAreHandled();
  if (!handler) facts.crash_handler_unknown = handler.error().text();
  if (handler) facts.crash_handler = std::move(*handler);
  facts.landlock_abi = abi > 0 ? static_cast<int>(abi) : 0;
  constexpr int kKnowsSockets = 9;  // since this version Landlock restricts Unix sockets
  if (facts.landlock_abi >= kKnowsSockets) return facts;
  Result<std::vector<std::string>> sockets = BoundSockets();
  if (!sockets) facts.sockets_unknown = sockets.error().text();
  if (sockets) facts.sockets = std::move(*sockets);
  return facts;
}

}  // namespace ringfence
