#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>

#include "base/syscall.h"
#include "sandbox/linux/descendants.h"
#include "sandbox/linux/nested_rules.h"
#include "sandbox/linux/supervised_calls.h"

namespace ringfence {
namespace {

// Returns the number after `key` in a file of /proc; 0 if there is none.
pid_t NumberIn(const std::string& path, std::string_view key) {
  const Result<std::string> text = ReadSystemFile(path);
  const size_t at = text ? text->find(key) : std::string::npos;
  if (at == std::string::npos) return 0;
  const char* const from = text->data() + at + key.size();
  pid_t number = 0;
  std::from_chars(from, text->data() + text->size(), number);
  return number;
}

// Returns the process of a thread; 0 if there is none.
pid_t ProcessOfThread(pid_t thread) {
  return NumberIn("/proc/" + std::to_string(thread) + "/status", "\nTgid:\t");
}

// Returns the process of a pidfd: 0 if `fd` is not a pidfd, -1 if the process has ended.
pid_t ProcessOfDescriptor(const UniqueFd& fd) {
  return NumberIn("/proc/self/fdinfo/" + std::to_string(fd.get()), "\nPid:\t");
}

class SignalCall {
 public:
  explicit SignalCall(const SupervisedCaller& caller) : caller_(caller), own_(caller.process()) {}

  void Answer() {
    if (own_ <= 0 || !caller_.IsWaiting()) return caller_.ReturnError(ESRCH);
    const int code = Carry();
    if (code == kToItself) return caller_.Continue();
    return code == 0 ? caller_.ReturnValue(0) : caller_.ReturnError(code);
  }

 private:
  // A caller may always send itself signals, and its C library checks the sender, so the call
  // continues. The process number is in a register, and stays the caller's own while the caller
  // waits.
  static constexpr int kToItself = -1;

  int Carry() {
    switch (caller_.number()) {
      case SYS_kill:
        return Kill(caller_.IntArgument(0), caller_.IntArgument(1));
      case SYS_tkill:
        return ToAnyThread(caller_.IntArgument(0), caller_.IntArgument(1));
      case SYS_tgkill:
        return ToThread(caller_.IntArgument(0), caller_.IntArgument(1), caller_.IntArgument(2));
      case SYS_rt_sigqueueinfo:
        return Queue(caller_.IntArgument(0), caller_.IntArgument(1), caller_.argument(2));
      case SYS_rt_tgsigqueueinfo:
        return Queue(caller_.IntArgument(0), caller_.IntArgument(2), caller_.argument(3));
      case SYS_pidfd_send_signal:
        return ByDescriptor();
      default:
        return ENOSYS;
    }
  }

  int Kill(pid_t target, int signal) {
    if (target > 0) return ToProcess(target, signal, nullptr);
    if (target == -1) return ToGroup(0, signal);
    const pid_t group = target == 0 ? ::getpgid(own_) : -target;
    return group > 0 ? ToGroup(group, signal) : ESRCH;
  }

  // tkill(2) does not name the process, so the thread's number could be reused before the call
  // continues.
  int ToAnyThread(pid_t thread, int signal) {
    const pid_t process = ProcessOfThread(thread);
    if (process != own_) return ToThread(process, thread, signal);
    if (thread == caller_.thread()) return kToItself;
    return ::syscall(SYS_tgkill, own_, thread, signal) == 0 ? 0 : errno;
  }

  // A pidfd refers to a whole process, so a signal for a thread of another process goes to that
  // process.
  int ToThread(pid_t process, pid_t thread, int signal) {
    if (process <= 0 || thread <= 0) return ESRCH;
    if (process == own_) return kToItself;
    if (ProcessOfThread(thread) != process) return ESRCH;
    return ToProcess(process, signal, nullptr);
  }

  int Queue(pid_t target, int signal, uint64_t address) {
    if (target <= 0) return ESRCH;
    if (target == own_) return kToItself;
    siginfo_t info{};
    const Result<std::string> bytes = caller_.ReadBytes(address, sizeof info);
    if (!bytes) return bytes.error().code;
    std::memcpy(&info, bytes->data(), sizeof info);
    info.si_signo = signal;
    return ToProcess(target, signal, &info);
  }

  int ByDescriptor() {
    const int signal = caller_.IntArgument(1);
    const uint64_t address = caller_.argument(2);
    if (caller_.argument(3) != 0) return EINVAL;
    const Result<UniqueFd> fd = caller_.Descriptor(caller_.IntArgument(0));
    if (!fd) return fd.error().code;
    siginfo_t info{};
    if (address != 0) {
      const Result<std::string> bytes = caller_.ReadBytes(address, sizeof info);
      if (!bytes) return bytes.error().code;
      std::memcpy(&info, bytes->data(), sizeof info);
    }
    const pid_t target = ProcessOfDescriptor(*fd);
    if (target <= 0) return target == 0 ? EBADF : ESRCH;
    if (target != own_ && !IsInside(target)) return EPERM;
    return Send(*fd, signal, address != 0 ? &info : nullptr);
  }

  // Opens a pidfd before evaluating the process, so that its number cannot be reused.
  int ToProcess(pid_t target, int signal, const siginfo_t* info) {
    if (target == own_) return kToItself;
    UniqueFd process(Hold(target));
    if (!process.valid() && errno == EINVAL) {  // `target` is a thread
      target = ProcessOfThread(target);
      if (target > 0) process = UniqueFd(Hold(target));
    }
    if (!process.valid()) return errno == EINVAL || errno == ENOENT ? ESRCH : errno;
    if (!IsInside(target)) return EPERM;
    return Send(process, signal, info);
  }

  // Evaluates each process separately. `group` 0 means every process except the caller's.
  int ToGroup(pid_t group, int signal) {
    int code = ESRCH;
    for (const pid_t process : Descendants(group)) {
      if (group == 0 && process == own_) continue;
      const UniqueFd held(Hold(process));
      if (!held.valid() || !IsInside(process)) continue;
      const int sent = Send(held, signal, nullptr);
      if (sent == 0 || code != 0) code = sent;
    }
    return code;
  }

  bool IsInside(pid_t process) const {
    return IsDescendant(process) && IsInSandboxOf(caller_, process);
  }

  static int Hold(pid_t process) { return static_cast<int>(::syscall(SYS_pidfd_open, process, 0)); }

  static int Send(const UniqueFd& process, int signal, const siginfo_t* info) {
    return ::syscall(SYS_pidfd_send_signal, process.get(), signal, info, 0) == 0 ? 0 : errno;
  }

  const SupervisedCaller& caller_;
  pid_t own_;  // the caller's process
};

}  // namespace

void AnswerSignal(const SupervisedCaller& caller) { SignalCall(caller).Answer(); }

}  // namespace ringfence
