#include "sandbox/linux/proc_entry.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/read_number.h"
#include "base/syscall.h"
#include "sandbox/linux/nested_rules.h"

namespace ringfence {
namespace {

// Returns the PID of a path at or below "/proc/PID"; 0 for any other path.
pid_t ProcessOf(std::string_view path) {
  constexpr std::string_view kProc = "/proc/";
  if (!path.starts_with(kProc)) return 0;
  path.remove_prefix(kProc.size());
  pid_t process = 0;
  return ReadNumber(path.substr(0, path.find('/')), process) ? process : 0;
}

void UsePtrace(uint32_t effective) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[2] = {};
  data[0].permitted = 1u << CAP_SYS_PTRACE;
  data[0].effective = effective;
  if (::syscall(SYS_capset, &header, data) != 0) ::_exit(1);
}

}  // namespace

int EvaluateProcEntry(const SupervisedCaller& caller, const std::string& path) {
  const pid_t process = ProcessOf(path);
  if (process <= 0) return 0;
  if (process == ::getpid()) return EACCES;
  return IsInSandboxOf(caller, process) ? 0 : EACCES;
}

AsCaller::AsCaller(const SupervisedCaller& caller, const std::string& path)
    : gave_up_(caller.supervision().holds_ptrace && ProcessOf(path) != caller.process()) {
  if (gave_up_) UsePtrace(0);
}

AsCaller::AsCaller(const Supervision& supervision) : gave_up_(supervision.holds_ptrace) {
  if (gave_up_) UsePtrace(0);
}

AsCaller::~AsCaller() {
  if (gave_up_) UsePtrace(1u << CAP_SYS_PTRACE);
}

Result<UniqueFd> Jump(const SupervisedCaller& caller, const Location& link, int flags) {
  const std::string path = link.path();
  if (const int code = EvaluateProcEntry(caller, path)) return Errno(code);
  const AsCaller as_caller(caller, path);
  UniqueFd target(::openat(link.folder.get(), link.name.c_str(), O_PATH | O_CLOEXEC | flags));
  if (!target.valid()) return Errno(errno);
  return target;
}

}  // namespace ringfence
