// The supervisor: the first process of the sandbox. It carries out the calls that make, change or
// remove names (seccomp_unotify(2)) in place of the callers, so that what it looked at is what is
// used; it never lets a caller go on with its own memory. It has the callers' view, their user and
// their Landlock domain, so a mistake here opens nothing that mounts and Landlock close. It also
// reaps what the command leaves behind, and ends everything when the command ends.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/guarded_names.h"
#include "sandbox/linux/caller.h"

namespace ringfence {

// What the supervised calls share.
struct Supervision {
  const GuardedNames& names;
  UniqueFd proc;              // /proc
  UniqueFd own_fds;           // /proc/self/fd
  UniqueFd root;              // /
  std::string own_process;    // "/proc/1"
  bool holds_ptrace = false;  // CAP_SYS_PTRACE, which callers do not have

  // Directories of git's that this run made: device and inode, sorted.
  std::vector<std::pair<dev_t, ino_t>> own_repositories;

  // Opens of FIFOs that nobody reads yet.
  struct WaitingOpen {
    seccomp_notif call{};
    UniqueFd fifo;  // O_PATH
    int flags = 0;
  };
  std::vector<WaitingOpen> waiting;

  // Refusals that were not told to the launcher yet.
  struct Report {
    std::string path;
    const GuardedName* rule = nullptr;
    int code = 0;
  };
  std::vector<Report> reports;
};

Result<Supervision> PrepareSupervision(const GuardedNames& names);

// Answers one call, or puts it with the waiting ones.
void AnswerCall(const Caller& caller, const seccomp_notif& call, Supervision& supervision);

// Tries the waiting opens again.
void TryWaiting(int listener, Supervision& supervision);

}  // namespace ringfence
