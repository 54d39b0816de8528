#include "sandbox/linux/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/syscall.h"
#include "base/unique_fd.h"

namespace ringfence {
namespace {

// How often it is looked whether somebody has got away: each time those that were seen are stopped,
// and take part in the number of processes that may be.
constexpr int kMaxLooks = 10'000;
constexpr int kMaxFreezeLooks = 100;

struct Process {
  pid_t id = 0;
  pid_t parent = 0;
  char state = '?';
};

// Of "77 (a name) S 5 ..." (proc_pid_stat(5)); the name may hold anything.
void ReadStat(std::string_view stat, Process& process) {
  const size_t name_end = stat.rfind(')');
  constexpr size_t kStateAt = 2, kParentAt = 4;
  if (name_end == std::string_view::npos || stat.size() < name_end + kParentAt) return;
  process.state = stat[name_end + kStateAt];
  stat.remove_prefix(name_end + kParentAt);
  std::from_chars(stat.data(), stat.data() + stat.size(), process.parent);
}

std::vector<Process> Processes() {
  std::vector<Process> all;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), ::closedir);
  if (folder == nullptr) return all;
  while (const dirent* entry = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name = entry->d_name;
    Process process;
    if (std::from_chars(name.data(), name.data() + name.size(), process.id).ptr !=
        name.data() + name.size()) {
      continue;
    }
    const std::string path = "/proc/" + std::string(name) + "/stat";
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const Result<std::string> stat = ReadAll(file.get(), 4096, path);
    if (!stat) continue;
    ReadStat(*stat, process);
    all.push_back(process);
  }
  return all;
}

std::vector<Process> Descendants() {
  const std::vector<Process> all = Processes();
  std::vector<Process> found{{.id = ::getpid()}};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Process& process : all) {
      if (process.parent == found[i].id) found.push_back(process);
    }
  }
  found.erase(found.begin());
  return found;
}

// Whoever makes processes faster than one can end them is stopped first.
void StopDescendants() {
  std::vector<pid_t> stopped;
  for (int look = 0; look < kMaxLooks; ++look) {
    const size_t before = stopped.size();
    for (const Process& process : Descendants()) {
      if (std::ranges::find(stopped, process.id) != stopped.end()) continue;
      const rlimit none{.rlim_cur = 0, .rlim_max = 0};
      ::prlimit(process.id, RLIMIT_NPROC, &none, nullptr);
      ::kill(process.id, SIGSTOP);
      stopped.push_back(process.id);
    }
    if (stopped.size() == before) return;
  }
}

// Where there is no child there is nobody.
bool HasChildren() {
  pid_t reaped = 1;
  while (reaped > 0) reaped = ::waitpid(-1, nullptr, WNOHANG);
  return reaped == 0;
}

}  // namespace

void EndDescendants() {
  if (!HasChildren()) return;
  StopDescendants();
  while (HasChildren()) {
    for (const Process& process : Descendants()) ::kill(process.id, SIGKILL);
  }
}

std::vector<pid_t> FreezeDescendants() {
  std::vector<pid_t> frozen;
  for (int look = 0; look < kMaxFreezeLooks; ++look) {
    const size_t before = frozen.size();
    for (const Process& process : Descendants()) {
      const bool runs = std::string_view("TtZX").find(process.state) == std::string_view::npos;
      if (!runs || std::ranges::find(frozen, process.id) != frozen.end()) continue;
      if (::kill(process.id, SIGSTOP) == 0) frozen.push_back(process.id);
    }
    if (frozen.size() == before) break;
  }
  return frozen;
}

// Children before their parents: a shell would otherwise find its job stopped.
void Continue(const std::vector<pid_t>& frozen) {
  for (auto process = frozen.rbegin(); process != frozen.rend(); ++process) {
    ::kill(*process, SIGCONT);
  }
}

}  // namespace ringfence
