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

struct Process {
  pid_t id = 0;
  pid_t parent = 0;
};

// Of "77 (a name) S 5 ..." (proc_pid_stat(5)); the name may hold anything.
pid_t ParentIn(std::string_view stat) {
  const size_t name_end = stat.rfind(')');
  constexpr size_t kParentAt = 4;
  if (name_end == std::string_view::npos || stat.size() < name_end + kParentAt) return 0;
  stat.remove_prefix(name_end + kParentAt);
  pid_t parent = 0;
  std::from_chars(stat.data(), stat.data() + stat.size(), parent);
  return parent;
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
    process.parent = ParentIn(*stat);
    all.push_back(process);
  }
  return all;
}

std::vector<pid_t> Descendants() {
  const std::vector<Process> all = Processes();
  std::vector<pid_t> found{::getpid()};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Process& process : all) {
      if (process.parent == found[i]) found.push_back(process.id);
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
    for (const pid_t process : Descendants()) {
      if (std::ranges::find(stopped, process) != stopped.end()) continue;
      const rlimit none{.rlim_cur = 0, .rlim_max = 0};
      ::prlimit(process, RLIMIT_NPROC, &none, nullptr);
      ::kill(process, SIGSTOP);
      stopped.push_back(process);
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
    for (const pid_t process : Descendants()) ::kill(process, SIGKILL);
  }
}

}  // namespace ringfence
