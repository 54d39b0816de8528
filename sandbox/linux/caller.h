// SupervisedCaller: a process that waits in a supervised call, as the supervisor sees it. It can be
// hostile and have other threads, so its memory is copied once and never read again.
#pragma once

#include <linux/seccomp.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <string>

#include "base/not_copied.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

struct Supervision;

// Its errors, made with Errno(), are those with which the caller's own call can fail.
class SupervisedCaller {
 public:
  SupervisedCaller(const seccomp_notif& call, int listener, Supervision& supervision)
      : call_(call), listener_(listener), supervision_(supervision) {}

  const seccomp_notif& call() const { return call_; }
  Supervision& supervision() const { return supervision_; }  // of the supervisor that serves it
  uint64_t argument(int index) const { return call_.data.args[index]; }
  int number() const { return call_.data.nr; }
  pid_t thread() const { return static_cast<pid_t>(call_.pid); }
  // Arguments of type int are the lower half of a register.
  int IntArgument(int index) const { return static_cast<int>(call_.data.args[index]); }

  // True if the caller still waits. If not, data read by its process ID may belong to another
  // process.
  bool IsWaiting() const;

  // Reads a NUL-terminated path, or plain bytes, at an address in the caller.
  Result<std::string> ReadPath(uint64_t address) const;
  Result<std::string> ReadBytes(uint64_t address, size_t size) const;

  // Returns a duplicate of the caller's descriptor.
  Result<UniqueFd> Descriptor(int fd) const;
  // Returns the directory that relative paths start from; `fd` can be AT_FDCWD.
  Result<UniqueFd> Folder(int fd) const;

  pid_t process() const;             // thread group ID; 0 if it cannot be read
  std::string ProgramName() const;   // may be truncated; "" if it cannot be read
  mode_t Umask() const;              // 077 if it cannot be read
  std::string TerminalName() const;  // controlling terminal, below /dev; "" for none

  // True if a signal is pending that the caller does not block.
  bool HasSignal() const;

  // Answers to the call.
  void ReturnValue(int64_t value) const { Send({.val = value}); }
  void ReturnError(int code) const { Send({.error = -code}); }
  // Lets the kernel run the caller's own call. Use only if everything that matters is in registers,
  // which no other thread can change.
  void Continue() const { Send({.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE}); }
  // Returns `fd` to the caller as the result of its call. Closes the supervisor's copy before the
  // caller continues: a file that the caller closes and executes would otherwise be busy.
  void ReturnDescriptor(UniqueFd fd, bool close_on_exec) const;

 private:
  std::string ReadOwnFile(const char* name) const;  // the beginning of /proc/TID/`name`
  void Send(seccomp_notif_resp response) const;

  const seccomp_notif& call_;
  int listener_;
  Supervision& supervision_;
};

// Returns "pts/N"; "" if the device is not a pseudo-terminal.
std::string PseudoTerminalName(dev_t device);

// Sets the caller's umask while the supervisor creates a file for it. The kernel must apply the
// mask, since a default access control list of the directory replaces it (umask(2)).
class CallersMask : NotCopied {
 public:
  explicit CallersMask(const SupervisedCaller& caller) : own_(::umask(caller.Umask())) {}
  ~CallersMask() { ::umask(own_); }

 private:
  mode_t own_;
};

}  // namespace ringfence
