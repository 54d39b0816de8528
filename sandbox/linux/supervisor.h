// The supervisor: the first process of the sandbox. It carries out the calls that make, change or
// remove names (seccomp_unotify(2)) in place of the callers, so that what it looked at is what is
// used; it never lets a caller go on with its own memory. (Signals to itself a caller sends itself:
// nothing of those lies in memory.) It has the sandbox's view, user and
// Landlock domain, so a mistake here opens nothing that mounts and Landlock close. It also
// reaps what the command leaves behind, and ends everything when the command ends.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/guarded_names.h"
#include "sandbox/linux/caller.h"
#include "sandbox/linux/file_id.h"
#include "sandbox/linux/streams.h"
#include "sandbox/plan.h"

namespace ringfence {

// What the supervised calls share.
struct Supervision {
  const GuardedNames& names;
  UniqueFd proc;              // /proc
  UniqueFd own_fds;           // /proc/self/fd
  UniqueFd root;              // /
  std::string own_process;    // "/proc/1"
  dev_t memory = 0;           // the kernel's file system for memfd_create(2), in no directory
  bool holds_ptrace = false;  // CAP_SYS_PTRACE, which callers do not have

  // A folder which is read-only for everybody else, with the files that are saved in it
  // (SandboxPlan::saved).
  struct SavedFolder {
    std::string path;
    std::vector<std::string> names;
    UniqueFd folder;  // the same folder, writable; never given to a caller
  };
  std::vector<SavedFolder> saved;

  // A sandbox inside this one, whose rules hold besides those around it.
  struct Nested {
    rlim_t mark = 0;                 // what its processes have as RLIMIT_LOCKS
    const Nested* around = nullptr;  // where that is one of these
    std::string bytes;               // as it was handed over
    GuardedNames names;
  };
  std::vector<std::unique_ptr<Nested>> nested;
  rlim_t nested_before = 0;  // how many there have been, some of which are gone
  // The command's terminal, where none can be opened (only Landlock); invalid for none.
  UniqueFd terminal;
  // The host's files that the command has as its standard streams.
  std::vector<OpenedFile> streams;
  std::vector<const GuardedNames*> rules;  // for the call that is being answered

  // Where modes, owners, times and attributes may be changed, if no mount says so. Empty: mounts
  // do.
  std::vector<Path> modes_within;

  // What this run made of git's: directories, and files ".git". Sorted.
  std::vector<FileId> own_repositories;
  // What this run wrote in its own work trees and nowhere else could (NoteExempted): real paths.
  std::vector<std::string> exempted;
  // Files ".git" above them, which lead to a repository of this run and do not change any more;
  // and each ".git" that was to be removed while they existed. Sorted.
  std::vector<FileId> fixed_git_files;
  std::vector<FileId> kept_gits;
  // The command starts after this, and all its directories are younger (AwaitTick): seconds and
  // nanoseconds.
  std::pair<int64_t, uint32_t> began;
  bool ticked = false;  // a file made now is younger than `began`

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
    std::string why;  // instead of the rule's
  };
  std::vector<Report> reports;
};

// Before anything is given up that is needed to open what it holds.
Result<Supervision> PrepareSupervision(const SandboxPlan& plan);

struct Supervised {
  const SandboxPlan& plan;
  UniqueFd launcher;  // the channel to it
  UniqueFd listener;  // of the command's filter; invalid for none
  std::optional<Supervision> supervision;
  pid_t command = -1;
};

// Answers calls, passes the launcher's signals on and reaps, until the command ends; then it ends
// everybody else and exits. So it does when the launcher is gone.
[[noreturn]] void Supervise(Supervised start);

// Answers one call, or puts it with the waiting ones.
void AnswerCall(const SupervisedCaller& caller, const seccomp_notif& call,
                Supervision& supervision);

}  // namespace ringfence
