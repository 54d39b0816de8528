#include "sandbox/linux/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "base/contains.h"
#include "base/directory.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr std::string_view kPrefix = "ringfence-";
constexpr int kMaxTries = 4;

std::string ReadText(const std::string& path) {
  const Result<std::string> text = ReadSystemFile(path);
  return text ? *text : "";
}

// Removes cgroups that no launcher locks any more. One with processes in it cannot be removed.
void RemoveLeftovers(const UniqueFd& parent) {
  ForEachName(parent, [&parent](const char* name) {
    if (!std::string_view(name).starts_with(kPrefix)) return;
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
    const UniqueFd folder(::openat(parent.get(), name, kFlags));
    if (!folder.valid() || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return;
    ::unlinkat(parent.get(), name, AT_REMOVEDIR);
  });
}

Status WriteBelow(const UniqueFd& folder, const std::string& name, const std::string& text) {
  const UniqueFd file(::openat(folder.get(), name.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return SystemError("open(" + name + ")");
  if (Status s = WriteAll(file.get(), text); !s) {
    return SystemError("write(" + name + ")", s.error().code);
  }
  return Unit{};
}

// Returns the path in "0::/user.slice/x\n", the line of cgroup v2.
std::string_view OwnGroup(std::string_view own) {
  while (!own.empty()) {
    const std::string_view line = TakeUntil(own, '\n');
    if (line.starts_with("0::/")) return line.substr(3);
  }
  return "";
}

}  // namespace

std::vector<std::string> WantedControllers(const SandboxRules& rules) {
  std::vector<std::string> wanted;
  if (rules.memory) wanted.emplace_back("memory");
  if (rules.processes) wanted.emplace_back("pids");
  if (rules.cpus) wanted.emplace_back("cpu");
  if (rules.io) wanted.emplace_back("io");
  return wanted;
}

Delegation FindDelegation(std::string_view own, const std::string& mount,
                          const std::vector<std::string>& wanted) {
  const std::string_view path = OwnGroup(own);
  // A cgroup above the namespace's root cannot be named.
  if (path.empty() || HasDotDot(path)) return {};
  Delegation best;
  std::ptrdiff_t most = 0;
  for (Path at = Path::Clean(path);; at = at.Parent()) {
    const std::string folder = at.is_root() ? mount : mount + at.text();
    for (const std::string& name : {folder, folder + "/cgroup.procs"}) {
      if (::access(name.c_str(), W_OK) != 0) return best;
    }
    std::vector<std::string> controllers = SplitWords(ReadText(folder + "/cgroup.subtree_control"));
    const auto has = [&](const std::string& name) { return Contains(controllers, name); };
    const std::ptrdiff_t count = std::ranges::count_if(wanted, has);
    if (count > most) {
      best = {folder, std::move(controllers)};
      most = count;
    }
    if (at.is_root() || most == std::ssize(wanted)) return best;
  }
}

Delegation FindDelegation(const std::vector<std::string>& wanted) {
  for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    struct statfs facts {};
    if (::statfs(mount, &facts) == 0 && facts.f_type == CGROUP2_SUPER_MAGIC) {
      return FindDelegation(ReadText("/proc/self/cgroup"), mount, wanted);
    }
  }
  return {};
}

std::vector<std::string> FindDisks() {
  std::vector<std::string> disks;
  const UniqueFd folder = OpenFile("/sys/block", O_RDONLY | O_DIRECTORY);
  ForEachName(folder, [&disks](const char* name) {
    const std::string_view text(name);
    const bool is_made_up =
        text.starts_with("loop") || text.starts_with("ram") || text.starts_with("zram");
    if (is_made_up) return;
    const std::vector<std::string> number =
        SplitWords(ReadText("/sys/block/" + std::string(name) + "/dev"));
    if (!number.empty()) disks.push_back(number.front());
  });
  std::ranges::sort(disks);
  return disks;
}

std::vector<std::pair<std::string, std::string>> CgroupSettings(const PlannedLimits& limits) {
  constexpr uint64_t kPeriod = 100'000;  // microseconds; the kernel's own default
  constexpr uint64_t kLeastQuota = 1'000;
  std::vector<std::pair<std::string, std::string>> settings;
  if (limits.memory && limits.is_by_cgroup("memory")) {
    settings.emplace_back("memory.max", std::to_string(*limits.memory));
    settings.emplace_back("memory.swap.max", "0");
  }
  if (limits.is_by_cgroup("pids")) {
    // One more, for the supervisor.
    settings.emplace_back("pids.max", std::to_string(limits.processes + 1));
  }
  if (limits.cpus && limits.is_by_cgroup("cpu")) {
    const double quota = std::round(*limits.cpus * static_cast<double>(kPeriod));
    settings.emplace_back(
        "cpu.max", std::to_string(std::max(kLeastQuota, static_cast<uint64_t>(quota))) + " " +
                       std::to_string(kPeriod));
  }
  if (limits.io && limits.is_by_cgroup("io")) {
    const std::string rate = std::to_string(*limits.io);
    std::string rates = " rbps=" + rate;
    rates += " wbps=" + rate;
    for (const std::string& disk : limits.disks) settings.emplace_back("io.max", disk + rates);
  }
  return settings;
}

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  std::swap(parent_, other.parent_);
  std::swap(folder_, other.folder_);
  std::swap(entry_, other.entry_);
  std::swap(name_, other.name_);
  return *this;
}

Cgroup::~Cgroup() {
  if (!folder_.valid()) return;
  [[maybe_unused]] const Status killed = WriteBelow(folder_, "cgroup.kill", "1");
  constexpr int kTries = 1000;
  constexpr useconds_t kPause = 1000;
  for (int i = 0; i < kTries; ++i) {
    if (::unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR) == 0 || errno != EBUSY) return;
    ::usleep(kPause);  // a process has not ended yet
  }
}

Status Cgroup::Create(const std::string& parent) {
  parent_ = OpenFile(parent.c_str(), O_RDONLY | O_DIRECTORY);
  if (!parent_.valid()) return SystemError("open(" + parent + ")");
  RemoveLeftovers(parent_);
  const std::string name = std::string(kPrefix) + std::to_string(::getpid());
  for (int tries = 0;; ++tries) {
    name_ = tries == 0 ? name : name + "-" + std::to_string(tries);
    Status taken = TakeFolder(parent);
    if (taken || tries + 1 == kMaxTries) return taken;
  }
}

// Fails if another launcher removes the directory as a leftover before it is locked, or if a
// process with the same number in another container has created one of that name.
Status Cgroup::TakeFolder(const std::string& parent) {
  if (::mkdirat(parent_.get(), name_.c_str(), 0755) != 0) {
    return SystemError("mkdir(" + parent + "/" + name_ + ")");
  }
  folder_ = UniqueFd(::openat(parent_.get(), name_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder_.valid()) return SystemError("open(" + name_ + ")");
  if (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0) return SystemError("flock(" + name_ + ")");
  return CallStatus(::faccessat(parent_.get(), name_.c_str(), F_OK, 0) == 0,
                    "access(" + name_ + ")");
}

Result<Cgroup> Cgroup::Make(const PlannedLimits& limits) {
  Cgroup cgroup;
  if (limits.cgroup.empty()) return cgroup;
  if (Status s = cgroup.Create(limits.cgroup); !s) return s.error();
  for (const auto& [name, text] : CgroupSettings(limits)) {
    Status written = WriteBelow(cgroup.folder_, name, text);
    // A kernel without swap lacks this file.
    const bool may_miss = name == "memory.swap.max" && !written && written.error().code == ENOENT;
    if (!written && !may_miss) return written.error();
  }
  cgroup.entry_ = UniqueFd(::openat(cgroup.folder_.get(), "cgroup.procs", O_WRONLY | O_CLOEXEC));
  if (!cgroup.entry_.valid()) return SystemError("open(cgroup.procs)");
  return cgroup;
}

Status EnterCgroup(const UniqueFd& entry) {
  if (!entry.valid()) return Unit{};
  return CallStatus(::write(entry.get(), "0", 1) == 1, "write(cgroup.procs)");
}

}  // namespace ringfence
