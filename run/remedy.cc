#include "run/remedy.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>

#include "base/path.h"
#include "base/program.h"
#include "base/syscall.h"
#include "base/text.h"
#include "policy/evaluate/fix.h"

namespace ringfence {
namespace {

// Returns the first line of a file such as "/proc/sys/kernel/..."; "" if it cannot be read.
std::string Setting(const char* path) {
  const Result<std::string> text = ReadSystemFile(path);
  return text ? text->substr(0, text->find('\n')) : "";
}

// Returns the kind of namespace that a limit keeps this user from creating, such as "net"; "" for
// none.
std::string LimitedNamespace() {
  for (const char* kind : {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}) {
    const std::string path = "/proc/sys/user/max_" + std::string(kind) + "_namespaces";
    if (Setting(path.c_str()) == "0") return kind;
  }
  return "";
}

// Returns the AppArmor profile that confines this program; "" if it is unconfined, or its profile
// is in that mode.
std::string ConfiningProfile() {
  std::string text = Setting("/proc/self/attr/apparmor/current");
  if (text.empty()) text = Setting("/proc/self/attr/current");
  const size_t mode = text.rfind(" (");
  if (mode == std::string::npos || text.substr(mode) == " (unconfined)") return "";
  return text.substr(0, mode);
}

std::string ThisKernel() {
  utsname name{};
  return ::uname(&name) == 0 ? "this is Linux " + std::string(name.release) : "this is another";
}

// Returns the hint for a call that this kernel is too old for; "" for any other failure.
std::string AgeHint(const SetupFailure& failure) {
  const Error::About about = failure.error.about;
  if (failure.error.code != ENOSYS && failure.error.code != EINVAL) return "";
  std::string_view call;
  if (about == Error::About::kMountSetattr) call = "mount_setattr came with 5.12";
  if (about == Error::About::kCloseRange) call = "close_range came with 5.11";
  if (call.empty()) return "";
  return "ringfence needs Linux 5.13 or later (" + std::string(call) + "), and " + ThisKernel();
}

// The script that writes a profile is installed with this program.
std::string ProfileHint() {
  const Result<std::string> own = OwnProgramReal();
  const std::optional<Path> program = own ? Path::Parse(*own) : std::nullopt;
  if (program) {
    const Path script =
        program->Parent().Parent().Child("share").Child("ringfence").Child("apparmor.sh");
    if (::access(script.text().c_str(), R_OK) == 0) {
      return "To write one for ringfence, run once: sudo sh " + ShellQuoted(script.text());
    }
  }
  return "Install ringfence: this copy of the program has no script that writes one";
}

constexpr const char* kOrLandlock = "; or use --layers landlock, which is weaker";

std::string NamespaceHint() {
  if (const std::string profile = ConfiningProfile(); !profile.empty()) {
    return "the AppArmor profile " + Quote(profile) +
           " confines this program and forbids what a user namespace needs: start ringfence from "
           "a program that is not confined" +
           kOrLandlock;
  }
  if (Setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    return "AppArmor denies user namespaces to programs without a profile. " + ProfileHint() +
           kOrLandlock;
  }
  if (Setting("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    return "as root: sysctl -w kernel.unprivileged_userns_clone=1; or use --layers landlock, which "
           "is weaker";
  }
  if (const std::string kind = LimitedNamespace(); !kind.empty()) {
    return "as root: sysctl -w user.max_" + kind + "_namespaces=15000" + kOrLandlock;
  }
  if (::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0) {
    return "this is a container: start it with --security-opt seccomp=unconfined --security-opt "
           "apparmor=unconfined --security-opt systempaths=unconfined; or use --layers landlock, "
           "which is weaker";
  }
  return "this may be inside another sandbox, or the kernel forbids user namespaces; "
         "--layers landlock needs none, but is weaker";
}

std::string LandlockHint() {
  return "Landlock is missing. It needs Linux 5.13 or later with \"landlock\" in the list of "
         "/sys/kernel/security/lsm (boot option lsm=), and " +
         ThisKernel() +
         ". With \"missing\": \"warn\" in the policy's \"sandbox\" the full layers go on without "
         "it";
}

std::string SupervisorHint() {
  const std::string scope = Setting("/proc/sys/kernel/yama/ptrace_scope");
  constexpr const char* kFewer = "kernel.yama.ptrace_scope is ";
  if (scope == "3") {
    return kFewer + scope +
           ", so the supervisor cannot read the names in its children's calls. It "
           "stays so until the next boot: set it to 1 in /etc/sysctl.d, and boot";
  }
  if (scope == "2") {
    return kFewer + scope +
           ", so without a user namespace the supervisor cannot read the names in "
           "its children's calls. As root: sysctl -w kernel.yama.ptrace_scope=1; or use the full "
           "layers";
  }
  return "the supervisor needs to read the memory of its own children (process_vm_readv(2)), which "
         "this host forbids";
}

// True if the host forbids the call; false if a plan is wrong or a tree has changed under it.
bool IsForbidden(int code) {
  constexpr int kCodes[] = {EPERM, EACCES, ENOSYS, EINVAL, ENOSPC, EUSERS};
  return std::ranges::find(kCodes, code) != std::end(kCodes);
}

// True if Landlock itself failed, and not the opening of a path for one of its rules.
bool IsAboutLandlock(const SetupFailure& failure) {
  return failure.error.about == Error::About::kLandlock;
}

bool HasTooManyMounts(const SetupFailure& failure) {
  return failure.step == "mount view" && failure.error.code == ENOSPC;
}

// True if the egress proxy has ended while the network was built.
bool HasLostProxy(const SetupFailure& failure) {
  return failure.step == "own network" && failure.error.code == EPIPE;
}

std::string HintFor(const SetupFailure& failure) {
  constexpr const char* kLook = "nothing was run; ringfence run --dry-run shows the plan";
  if (!failure.lacks) return kLook;
  if (HasLostProxy(failure)) return ProxyHint();
  if (std::string hint = AgeHint(failure); !hint.empty()) return hint;
  switch (*failure.lacks) {
    case Feature::kNamespaces:
      if (HasTooManyMounts(failure)) {
        return "each hidden file is a mount, and there are more than fs.mount-max: deny the "
               "directories that they are in";
      }
      return IsForbidden(failure.error.code) ? NamespaceHint() : kLook;
    case Feature::kProc:
      return "parts of /proc are covered, as in many containers: start it with --security-opt "
             "systempaths=unconfined";
    case Feature::kLandlock:
      if (failure.error.code == E2BIG) {
        return "without mounts every name next to a hidden one needs a rule of its own, and that "
               "directory has too many; deny the whole directory, or use the full layers";
      }
      return IsAboutLandlock(failure) ? LandlockHint() : kLook;
    case Feature::kSupervisor:
      if (failure.error.code == EAGAIN) {
        return "the policy's limit \"processes\" is too low for the command and what this user "
               "runs, or the caller's is (ulimit -u)";
      }
      return SupervisorHint();
    case Feature::kOverlay:
      return kLook;
    case Feature::kDelegation:
      return "this session's cgroup does not accept limits: start it with systemd-run --user "
             "--scope, or remove memory, processes, cpus and io from the policy's \"sandbox\"";
  }
  return "";
}

}  // namespace

std::string ProxyHint() {
  const Result<std::string> program = ProgramBeside("ringfence-proxy");
  return "to see whether it can run: " + (program ? ShellWord(*program) : "ringfence-proxy") +
         " --help";
}

bool IsLacking(const SetupFailure& failure) {
  // The kernel lacks the feature (EOPNOTSUPP: Landlock is turned off; EBUSY: there is another
  // listener), rather than memory or descriptors for it at the moment. A resource limit that is not
  // enforced opens nothing.
  if (HasTooManyMounts(failure)) return false;
  if (failure.lacks == Feature::kLandlock && !IsAboutLandlock(failure)) return false;
  return failure.lacks &&
         (*failure.lacks == Feature::kDelegation || IsForbidden(failure.error.code) ||
          failure.error.code == EOPNOTSUPP || failure.error.code == EBUSY);
}

Error ExplainSetupFailure(const SetupFailure& failure) {
  return Error{Error::Kind::kSystem, "the sandbox could not be set up", failure.text(),
               HintFor(failure)};
}

}  // namespace ringfence
