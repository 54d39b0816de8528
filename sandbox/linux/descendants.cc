#include "sandbox/linux/descendants.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <string>
#include <string_view>

#include "base/directory.h"
#include "base/read_number.h"
#include "base/syscall.h"
#include "base/unique_fd.h"

namespace ringfence {
namespace {

// Maximum number of scans for new processes. Each scan stops the processes that it finds, and these
// still count towards the process limit.
constexpr int kMaxLooks = 10'000;
constexpr int kMaxFreezeLooks = 100;
constexpr int kMaxStopLooks = 2'000;  // a tenth of a millisecond apart

struct Process {
  pid_t id = 0;
  pid_t parent = 0;
  pid_t group = 0;
  char state = '?';
};

// Parses "77 (a name) S 5 12 ..." (proc_pid_stat(5)); the name can contain any character. The
// parent is 0 if the file cannot be read.
Process ReadProcess(pid_t id) {
  Process process{.id = id};
  const Result<std::string> stat = ReadSystemFile("/proc/" + std::to_string(id) + "/stat");
  if (!stat) return process;
  const size_t name_end = stat->rfind(')');
  constexpr size_t kStateAt = 2, kParentAt = 4;
  if (name_end == std::string::npos || stat->size() < name_end + kParentAt) return process;
  process.state = (*stat)[name_end + kStateAt];
  const char* const end = stat->data() + stat->size();
  const char* at = stat->data() + name_end + kParentAt;
  at = std::from_chars(at, end, process.parent).ptr;
  if (at != end) std::from_chars(at + 1, end, process.group);
  return process;
}

std::vector<Process> Processes() {
  std::vector<Process> all;
  const DirectoryStream folder(::opendir("/proc"));
  if (folder == nullptr) return all;
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe)
    pid_t id = 0;
    if (!ReadNumber(entry->d_name, id)) continue;
    const Process process = ReadProcess(id);
    if (process.parent > 0) all.push_back(process);
  }
  return all;
}

// Returns the ancestors of a process up to this one; empty if it is not a descendant.
std::vector<pid_t> WayUp(pid_t process) {
  constexpr size_t kDeepest = 100'000;
  std::vector<pid_t> way;
  while (way.size() < kDeepest) {
    process = ReadProcess(process).parent;
    if (process <= 1 && process != ::getpid()) return {};
    way.push_back(process);
    if (process == ::getpid()) return way;
  }
  return {};
}

// Finds every process that exists while /proc is read: if its parent ends, it becomes a child of
// this process, which does not reap in the meantime.
std::vector<Process> ProcessesBelow(std::vector<Process> all, const Spared& spared) {
  std::ranges::sort(all, {}, &Process::parent);
  std::vector<Process> found{{.id = ::getpid()}};
  for (size_t i = 0; i < found.size(); ++i) {
    const pid_t parent = found[i].id;
    auto process = std::ranges::lower_bound(all, parent, {}, &Process::parent);
    for (; process != all.end() && process->parent == parent; ++process) {
      if (std::ranges::find(spared, process->id) == spared.end()) found.push_back(*process);
    }
  }
  found.erase(found.begin());
  return found;
}

bool IsZombie(const Process& process) { return process.state == 'Z' || process.state == 'X'; }

// Also signals their groups, to reach a child that was forked after the scan. The groups have no
// other members, since the run's supervisor started a session.
void Signal(const std::vector<Process>& processes, int signal) {
  std::vector<pid_t> groups;
  for (const Process& process : processes) {
    if (!IsZombie(process)) ::kill(process.id, signal);
    if (process.group > 1 && process.group != ::getpgrp()) groups.push_back(process.group);
  }
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  for (const pid_t group : groups) ::kill(-group, signal);
}

// Reaps ended children. A process without children has no descendants.
bool HasChildren() {
  pid_t reaped = 1;
  while (reaped > 0) reaped = ::waitpid(-1, nullptr, WNOHANG);
  return reaped == 0;
}

void ReapEnded(const std::vector<Process>& processes) {
  for (const Process& process : processes) ::waitpid(process.id, nullptr, WNOHANG);
}

// Stops all descendants first, since a program can create processes faster than they can be ended.
void StopDescendants(const Spared& spared) {
  std::vector<pid_t> seen;  // sorted
  for (int look = 0; look < kMaxLooks; ++look) {
    const size_t before = seen.size();
    const std::vector<Process> left = ProcessesBelow(Processes(), spared);
    for (const Process& process : left) {
      if (std::binary_search(seen.begin(), seen.begin() + static_cast<ptrdiff_t>(before),
                             process.id)) {
        continue;
      }
      seen.push_back(process.id);
      if (IsZombie(process)) continue;
      const rlimit none{.rlim_cur = 0, .rlim_max = 0};
      ::prlimit(process.id, RLIMIT_NPROC, &none, nullptr);
    }
    std::ranges::sort(seen);
    Signal(left, SIGSTOP);
    ReapEnded(left);
    if (seen.size() == before) return;
  }
}

// A parent that still runs sees its child stop, and a shell then takes the terminal from it. Gives
// up when `looks` reaches 0: some calls keep a process from stopping.
void AwaitStop(pid_t process, int& looks) {
  constexpr timespec kShort{.tv_sec = 0, .tv_nsec = 100'000};
  for (; looks > 0; --looks) {
    if (std::string_view("TtZX?").find(ReadProcess(process).state) != std::string_view::npos)
      return;
    ::nanosleep(&kShort, nullptr);
  }
}

}  // namespace

std::vector<pid_t> Descendants(pid_t group) {
  std::vector<pid_t> found;
  for (const Process& process : ProcessesBelow(Processes(), {})) {
    if (group == 0 || process.group == group) found.push_back(process.id);
  }
  return found;
}

// While the ancestors are read, one can end and its number can be reused. Its children then have
// another parent, so only a result that is the same twice is reliable.
bool IsDescendant(pid_t process) {
  constexpr int kTries = 10;
  std::vector<pid_t> before = WayUp(process);
  for (int i = 0; i < kTries; ++i) {
    std::vector<pid_t> now = WayUp(process);
    if (now == before) return !now.empty();
    before = std::move(now);
  }
  return false;
}

void EndDescendants(const Spared& spared) {
  if (spared.empty() && !HasChildren()) return;
  StopDescendants(spared);
  for (;;) {
    const std::vector<Process> left = ProcessesBelow(Processes(), spared);
    Signal(left, SIGKILL);
    ReapEnded(left);
    if (!left.empty()) continue;
    // The list is also empty if /proc could not be read for lack of descriptors.
    const bool is_done =
        spared.empty() ? !HasChildren() : ReadProcess(::getpid()).state != Process().state;
    if (is_done) return;
  }
}

Result<std::vector<pid_t>> Children() {
  siginfo_t info{};
  if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
    if (errno == ECHILD) return std::vector<pid_t>{};
    return SystemError("waitid");
  }
  std::vector<pid_t> children;
  for (const Process& process : Processes()) {
    if (process.parent == ::getpid()) children.push_back(process.id);
  }
  return children;
}

std::vector<pid_t> FreezeDescendants() {
  int looks = kMaxStopLooks;
  std::vector<pid_t> frozen;
  for (int look = 0; look < kMaxFreezeLooks; ++look) {
    const size_t before = frozen.size();
    for (const pid_t process : Descendants()) {
      const char state = ReadProcess(process).state;
      const bool runs = std::string_view("TtZX").find(state) == std::string_view::npos;
      if (!runs || std::ranges::find(frozen, process) != frozen.end()) continue;
      if (::kill(process, SIGSTOP) != 0) continue;
      frozen.push_back(process);
      AwaitStop(process, looks);
    }
    if (frozen.size() == before) break;
  }
  return frozen;
}

// Continues children before their parents: otherwise a shell would see its job as stopped.
void Continue(const std::vector<pid_t>& frozen) {
  std::for_each(frozen.rbegin(), frozen.rend(), [](pid_t process) { ::kill(process, SIGCONT); });
}

}  // namespace ringfence
