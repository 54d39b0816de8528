// SupervisedCaller: a process that waits in a supervised call, seen from the supervisor. It may be
// hostile and have other threads, so whatever lies in its memory is copied once and never looked at
// again.
#pragma once

#include <linux/seccomp.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// Its errors are what the caller's own call may fail with: Errno().
class SupervisedCaller {
 public:
  // `proc` is the supervisor's own view of /proc.
  SupervisedCaller(const seccomp_notif& call, int listener, const UniqueFd& proc)
      : call_(call), listener_(listener), proc_(proc) {}

  uint64_t argument(int index) const { return call_.data.args[index]; }
  int number() const { return call_.data.nr; }
  pid_t thread() const { return static_cast<pid_t>(call_.pid); }
  // Arguments of type int are the lower half of a register.
  int IntArgument(int index) const { return static_cast<int>(call_.data.args[index]); }

  // Whether the caller still waits: what was read of a process that has gone may be another's.
  bool IsWaiting() const;

  // A path (NUL-terminated) or plain bytes at an address of the caller's.
  Result<std::string> ReadPath(uint64_t address) const;
  Result<std::string> ReadBytes(uint64_t address, size_t size) const;

  // A descriptor of the caller's, as one of one's own.
  Result<UniqueFd> Descriptor(int fd) const;
  // The folder that a relative path begins at: `fd` may be AT_FDCWD.
  Result<UniqueFd> Folder(int fd) const;

  pid_t process() const;             // the thread group's id; 0 when it cannot be seen
  std::string ProgramName() const;   // its beginning; "" when it cannot be seen
  mode_t Umask() const;              // 077 when it cannot be seen
  std::string TerminalName() const;  // of the controlling terminal, below /dev; "" for none

  // A signal waits that the caller does not block.
  bool HasSignal() const;

  // Answers.
  void ReturnValue(int64_t value) const;
  void ReturnError(int code) const;
  // Lets the caller make the call itself: only where all that matters lies in its registers, which
  // nobody can change meanwhile.
  void Continue() const;
  // Gives the caller `fd` as the result of its call. The supervisor's own copy is closed before the
  // caller goes on: it would keep a file busy that the caller closes and executes.
  void ReturnDescriptor(UniqueFd fd, bool close_on_exec) const;

 private:
  std::string ReadOwnFile(const char* name) const;  // /proc/TID/`name`, its beginning
  void Send(seccomp_notif_resp& response) const;

  const seccomp_notif& call_;
  int listener_;
  const UniqueFd& proc_;
};

// "pts/N"; "" for what is no pseudo-terminal.
std::string PseudoTerminalName(dev_t device);

// The caller's mask, for as long as the supervisor makes a file in its place. The kernel applies
// it, since a default access control list of the directory takes its place (umask(2)).
class CallersMask {
 public:
  explicit CallersMask(const SupervisedCaller& caller) : own_(::umask(caller.Umask())) {}
  ~CallersMask() { ::umask(own_); }
  CallersMask(const CallersMask&) = delete;
  CallersMask& operator=(const CallersMask&) = delete;

 private:
  mode_t own_;
};

}  // namespace ringfence
