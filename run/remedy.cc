#include "run/remedy.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/syscall.h"
#include "base/unique_fd.h"

namespace ringfence {
namespace {

// "1" of "/proc/sys/kernel/...", "" where there is no such file.
std::string Setting(const char* path) {
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return "";
  const Result<std::string> text = ReadAll(file.get(), 4096, path);
  return text ? text->substr(0, text->find('\n')) : "";
}

std::string NamespaceHint() {
  if (Setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    return "Ubuntu restricts user namespaces by AppArmor: run install.sh --apparmor once, which "
           "installs a profile for ringfence; or use --layers landlock, which is weaker";
  }
  if (Setting("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    return "as root: sysctl -w kernel.unprivileged_userns_clone=1; or use --layers landlock, which "
           "is weaker";
  }
  if (Setting("/proc/sys/user/max_user_namespaces") == "0") {
    return "as root: sysctl -w user.max_user_namespaces=15000; or use --layers landlock, which is "
           "weaker";
  }
  if (::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0) {
    return "this is a container: start it with --security-opt seccomp=unconfined --security-opt "
           "apparmor=unconfined --security-opt systempaths=unconfined; or use --layers landlock, "
           "which is weaker";
  }
  return "this may be inside another sandbox, or the kernel forbids user namespaces; "
         "--layers landlock needs none, but is weaker";
}

// Not a mistake in a plan, nor a tree that changed under it.
bool IsForbidden(const std::string& code) {
  constexpr std::string_view kCodes[] = {"EPERM", "EACCES", "ENOSYS", "EINVAL", "ENOSPC", "EUSERS"};
  return std::ranges::find(kCodes, code) != std::end(kCodes);
}

bool HasTooManyMounts(const SetupFailure& failure) {
  return failure.step == "mount view" && failure.what == "ENOSPC";
}

std::string HintFor(const SetupFailure& failure) {
  constexpr const char* kLook = "nothing was run; ringfence run --dry-run shows the plan";
  if (!failure.lacks) return kLook;
  switch (*failure.lacks) {
    case Feature::kNamespaces:
      if (HasTooManyMounts(failure)) {
        return "each hidden file is a mount, and there are more than fs.mount-max: deny the "
               "directories that they are in";
      }
      return IsForbidden(failure.what) ? NamespaceHint() : kLook;
    case Feature::kProc:
      return "parts of /proc are covered, as in many containers: start it with --security-opt "
             "systempaths=unconfined";
    case Feature::kLandlock:
      if (failure.what == "E2BIG") {
        return "without mounts every name next to a hidden one needs a rule of its own, and that "
               "directory has too many; deny the whole directory, or use the full layers";
      }
      return "Landlock needs Linux 5.13 and \"landlock\" in the kernel's lsm= list";
    case Feature::kSupervisor:
      if (failure.what == "EAGAIN") {
        return "the policy's limit \"processes\" is too low for the command and what this user "
               "runs";
      }
      return "the supervisor needs Linux 5.14 and the right to see into its own children "
             "(kernel.yama.ptrace_scope below 3)";
    case Feature::kDelegation:
      return "this session's cgroup does not accept limits: start it with systemd-run --user "
             "--scope, or remove memory, processes, cpus and io from the policy's \"sandbox\"";
  }
  return "";
}

}  // namespace

bool IsLacking(const SetupFailure& failure) {
  // The kernel does not have it (EOPNOTSUPP: Landlock that is turned off; EBUSY: another listener),
  // rather than no memory or descriptor for it now. A limit that is not kept opens nothing.
  if (HasTooManyMounts(failure)) return false;
  return failure.lacks && (*failure.lacks == Feature::kDelegation || IsForbidden(failure.what) ||
                           failure.what == "EOPNOTSUPP" || failure.what == "EBUSY");
}

Error ExplainSetupFailure(const SetupFailure& failure) {
  return Error{Error::Kind::kSystem, "the sandbox could not be set up", failure.text(),
               HintFor(failure)};
}

}  // namespace ringfence
