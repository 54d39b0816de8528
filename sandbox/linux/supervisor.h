// The supervisor: the first process of the sandbox. It carries out the calls that create, change or
// remove names on behalf of the callers (seccomp_unotify(2)), so that what it checked is what is
// used: it never lets a call continue with arguments from the caller's memory. (A signal to the
// caller itself does continue; its target is in a register.) The supervisor has the sandbox's view,
// user and Landlock domain, so a mistake here opens nothing that mounts and Landlock close. It also
// reaps the processes that the command leaves behind, and ends all processes when the command ends.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <compare>
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
#include "sandbox/linux/streams.h"
#include "sandbox/plan.h"

namespace ringfence {

// Identifies a file or directory. Includes the birth time, since file systems reuse inode numbers.
struct FileId {
  uint32_t device_major = 0, device_minor = 0;
  uint64_t inode = 0;
  int64_t born = 0;  // seconds; 0 if the file system does not record it
  uint32_t born_nanoseconds = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): not a pointer
  auto operator<=>(const FileId&) const = default;
};

// State that the supervised calls share.
struct Supervision {
  const GuardedNames& names;
  UniqueFd proc;              // /proc
  UniqueFd own_fds;           // /proc/self/fd
  UniqueFd root;              // /
  std::string own_process;    // the supervisor's, such as "/proc/1"
  dev_t memory = 0;           // the device of memfd_create(2) files, which are in no directory
  bool holds_ptrace = false;  // CAP_SYS_PTRACE, which callers do not have

  // A directory that is read-only for all other processes, with the files that are saved in it
  // (SandboxPlan::saved).
  struct SavedFolder {
    std::string path;
    std::vector<std::string> names;
    UniqueFd folder;  // the same directory, writable; never given to a caller
  };
  std::vector<SavedFolder> saved;

  // A sandbox inside this one. Its rules apply in addition to those of the sandboxes around it.
  struct Nested {
    rlim_t mark = 0;                 // RLIMIT_LOCKS of its processes
    const Nested* around = nullptr;  // the nested sandbox around it, if any
    std::string bytes;               // the rules as they were handed over
    GuardedNames names;
  };
  std::vector<std::unique_ptr<Nested>> nested;
  rlim_t nested_before = 0;  // number so far, including those that have ended
  // The command's terminal, if it cannot be opened by name (only Landlock); else invalid.
  UniqueFd terminal;
  // The host's files that are the command's standard streams.
  std::vector<OpenedFile> streams;
  std::vector<const GuardedNames*> rules;  // for the call that is being answered

  // Directories in which modes, owners, times and attributes may be changed, if no mounts decide
  // that. Empty if mounts do.
  std::vector<Path> modes_within;

  // Directories of git and ".git" files that this run has created. Sorted.
  std::vector<FileId> own_repositories;
  // Real paths that this run was allowed to write only because they are in its own work trees
  // (NoteExempted). Sorted.
  std::vector<std::string> exempted;
  // ".git" files above them that lead to a repository of this run and no longer change; and each
  // ".git" whose removal was requested while they existed. Sorted.
  std::vector<FileId> fixed_git_files;
  std::vector<FileId> kept_gits;
  // A time before the start of the command: all directories that it creates are newer (AwaitTick).
  // Seconds and nanoseconds.
  std::pair<int64_t, uint32_t> began;
  bool ticked = false;  // a file created now is newer than `began`

  // Opens of FIFOs that have no reader yet.
  struct WaitingOpen {
    seccomp_notif call{};
    UniqueFd fifo;  // O_PATH
    int flags = 0;
  };
  std::vector<WaitingOpen> waiting;

  // The way to the egress proxy.
  struct Network {
    UniqueFd holder;          // of the network; invalid if it is not proxied, or by a port
    uint16_t proxy_port = 0;  // on the host's loopback, the only one to connect to; 0 for none
    std::vector<uint16_t> listens;  // ports at which the gateway listens
    struct Waiting {
      uint64_t call;
      uint16_t port;
    };
    std::vector<Waiting> waiting;  // connects, until the gateway listens
  };
  Network network;

  // Refusals that have not yet been sent to the launcher.
  struct Report {
    std::string path;
    const GuardedName* rule = nullptr;
    int code = 0;
    std::string why;  // used if `rule` is nullptr
  };
  std::vector<Report> reports;
};

// Opens what Supervision holds. Must be called while the process has the privileges for that.
Result<Supervision> PrepareSupervision(const SandboxPlan& plan);

struct Supervised {
  const SandboxPlan& plan;
  UniqueFd launcher;  // the channel to the launcher
  UniqueFd listener;  // of the command's filter; invalid if there is none
  std::optional<Supervision> supervision;
  pid_t command = -1;
};

// Answers calls, passes on the launcher's signals and reaps processes until the command or the
// launcher ends; then ends all other processes and exits.
[[noreturn]] void Supervise(Supervised start);

// Answers one call, or adds it to the waiting ones.
void AnswerCall(const SupervisedCaller& caller);

}  // namespace ringfence
