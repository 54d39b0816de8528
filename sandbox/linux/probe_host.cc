// ProbeHost(): finds out what a plan must know about this host, by trying the calls rather than
// comparing versions.
#include <dirent.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/directory.h"
#include "base/inside.h"
#include "base/launcher.h"
#include "base/result.h"
#include "base/syscall.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "sandbox/backend.h"
#include "sandbox/linux/cgroup.h"
#include "sandbox/linux/gateway.h"
#include "sandbox/private_folders.h"

namespace ringfence {
namespace {

// --- the Unix sockets of this host's programs, so that they can be hidden ---

// The search stops at these numbers of directories and names, since it delays every start.
constexpr size_t kMaxFolders = 64;
constexpr int kMaxFolderEntries = 20'000;

// Lower 32 bits of inode numbers, as the kernel reports them.
using Inodes = std::vector<uint32_t>;

template <typename Value>
Value ValueAt(std::string_view bytes) {
  Value value{};
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

// Adds the file of one socket, if it has one.
void AddFile(std::string_view attributes, Inodes& inodes) {
  while (attributes.size() >= sizeof(rtattr)) {
    const auto head = ValueAt<rtattr>(attributes);
    if (head.rta_len < sizeof head || head.rta_len > attributes.size()) return;
    if (head.rta_type == UNIX_DIAG_VFS) {
      const auto file = ValueAt<unix_diag_vfs>(attributes.substr(RTA_LENGTH(0)));
      inodes.push_back(file.udiag_vfs_ino);
    }
    attributes.remove_prefix(std::min<size_t>(RTA_ALIGN(head.rta_len), attributes.size()));
  }
}

enum class Part { kMore, kLast, kBroken };

Part AddFiles(std::string_view answer, Inodes& inodes) {
  constexpr size_t kBody = NLMSG_LENGTH(sizeof(unix_diag_msg));
  while (answer.size() >= sizeof(nlmsghdr)) {
    const auto head = ValueAt<nlmsghdr>(answer);
    if (head.nlmsg_type == NLMSG_DONE) return Part::kLast;
    const bool is_whole = head.nlmsg_len >= sizeof head && head.nlmsg_len <= answer.size();
    if (!is_whole || head.nlmsg_type == NLMSG_ERROR) return Part::kBroken;
    if (head.nlmsg_len > kBody) AddFile(answer.substr(kBody, head.nlmsg_len - kBody), inodes);
    answer.remove_prefix(std::min<size_t>(NLMSG_ALIGN(head.nlmsg_len), answer.size()));
  }
  return Part::kMore;
}

// Returns the files of all bound sockets (sock_diag(7)), or nothing if the kernel does not report
// them.
std::optional<Inodes> BoundFiles() {
  const UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  struct {
    nlmsghdr head;
    unix_diag_req request;
  } ask{};
  ask.head.nlmsg_len = sizeof ask;
  ask.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  ask.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  ask.request.sdiag_family = AF_UNIX;
  ask.request.udiag_states = ~0U;
  ask.request.udiag_show = UDIAG_SHOW_VFS;
  if (::send(socket.get(), &ask, sizeof ask, 0) < 0) return std::nullopt;
  Inodes inodes;
  std::vector<char> buffer(size_t{1} << 16);
  for (;;) {
    const ssize_t got = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (got <= 0) return std::nullopt;
    const Part part = AddFiles({buffer.data(), static_cast<size_t>(got)}, inodes);
    if (part == Part::kBroken) return std::nullopt;
    if (part == Part::kLast) break;
  }
  std::ranges::sort(inodes);
  return inodes;
}

void AddSocketsIn(const std::string& folder, const std::optional<Inodes>& bound,
                  std::vector<std::string>& sockets) {
  const DirectoryStream stream(::opendir(folder.c_str()));
  for (int count = 0; stream != nullptr && count < kMaxFolderEntries; ++count) {
    const dirent* entry = ::readdir(stream.get());  // NOLINT(concurrency-mt-unsafe)
    if (entry == nullptr) return;
    if (entry->d_type != DT_SOCK && entry->d_type != DT_UNKNOWN) continue;
    struct stat facts {};
    const char* name = static_cast<const char*>(entry->d_name);
    if (::fstatat(::dirfd(stream.get()), name, &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISSOCK(facts.st_mode)) continue;
    // Skips a socket file that a server has left behind.
    const auto inode = static_cast<uint32_t>(facts.st_ino);
    if (bound && !std::ranges::binary_search(*bound, inode)) continue;
    sockets.push_back(folder + "/" + name);
  }
}

void SortOnce(std::vector<std::string>& texts) {
  std::ranges::sort(texts);
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

// Returns the directories of names that no longer exist, or whose files have other names.
std::vector<std::string> FoldersToLookIn(const std::vector<std::string>& names) {
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    struct stat facts {};
    const bool is_there = ::stat(name.c_str(), &facts) == 0 && S_ISSOCK(facts.st_mode);
    if (!is_there || facts.st_nlink > 1) folders.push_back(name.substr(0, name.rfind('/')));
  }
  SortOnce(folders);
  if (folders.size() > kMaxFolders) folders.resize(kMaxFolders);
  return folders;
}

// Returns the paths at which programs of this network namespace have bound sockets (unix(7),
// proc(5)). If a path no longer exists or its file has other names, adds the names of bound sockets
// in the same directory: a server can bind another name first and rename it. Sockets with a
// relative name and those that were moved to another directory are missing.
Result<std::vector<std::string>> BoundSockets() {
  std::vector<std::string> sockets;
  const Result<std::string> text = ReadSystemFile("/proc/net/unix", 16u << 20);
  if (!text) return text.error();
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view line = TakeUntil(rest, '\n');
    const size_t slash = line.find(" /");
    if (slash != std::string_view::npos) sockets.emplace_back(line.substr(slash + 1));
  }
  SortOnce(sockets);
  const std::vector<std::string> folders = FoldersToLookIn(sockets);
  if (folders.empty()) return sockets;
  const std::optional<Inodes> bound = BoundFiles();
  for (const std::string& folder : folders) AddSocketsIn(folder, bound, sockets);
  SortOnce(sockets);
  return sockets;
}

// Returns why the host's crash handler would receive the memory of a crashed process (core(5)), or
// "". With a limit of 1 the kernel does not start the handler, but a handler that listens at a
// socket is notified of every crash.
Result<std::string> WhyCrashesAreHandled() {
  constexpr const char* kPattern = "/proc/sys/kernel/core_pattern";
  const UniqueFd file = OpenFile(kPattern, O_RDONLY);
  // A kernel without core files has no crash handler.
  if (!file.valid() && errno == ENOENT) return std::string();
  const Result<std::string> pattern = ReadAll(file.get(), 4096, kPattern);
  if (!pattern) return pattern.error();
  if (pattern->starts_with('@')) {
    return std::string("it listens at a socket (kernel.core_pattern)");
  }
  if (!pattern->starts_with('|')) return std::string();
  rlimit limit{};
  if (::getrlimit(RLIMIT_CORE, &limit) != 0 || limit.rlim_max != 0) return std::string();
  return std::string(
      "the hard limit for core files is 0, and only 1 keeps the kernel from starting it");
}

// A sandbox with mounts has this directory, in its own /dev that no process inside can write to.
bool IsInsideView() {
  struct stat cover {};
  struct statfs devices {};
  constexpr long kTmpfs = 0x01021994;
  return ::lstat("/dev/.ringfence/directory", &cover) == 0 && S_ISDIR(cover.st_mode) &&
         (cover.st_mode & 0777) == 0 && ::statfs("/dev", &devices) == 0 &&
         devices.f_type == kTmpfs && (devices.f_flags & ST_RDONLY) != 0;
}

}  // namespace

HostFacts ProbeHost(const SandboxRules& rules) {
  HostFacts facts;
  facts.inside_view = HasSandboxFilter() && IsInsideView();
  facts.is_inside = facts.inside_view || IsSupervised();
  utsname name{};
  if (::uname(&name) == 0) {
    facts.kernel = std::string(name.sysname) + " " + name.release;
    facts.host_name = name.nodename;
  }
  facts.user = ::geteuid();
  facts.group = ::getegid();
  if (rules.limits_together()) {
    Delegation delegation = FindDelegation(WantedControllers(rules));
    facts.cgroup = std::move(delegation.folder);
    facts.controllers = std::move(delegation.controllers);
    if (std::ranges::find(facts.controllers, "io") != facts.controllers.end()) {
      facts.disks = FindDisks();
    }
  }
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi <= 0) facts.landlock_error = errno;
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) == static_cast<ssize_t>(sizeof number)) {
    facts.scratch = ScratchFolder(number);
  }
  Result<std::string> handler = WhyCrashesAreHandled();
  if (!handler) facts.crash_handler_unknown = handler.error().text();
  if (handler) facts.crash_handler = std::move(*handler);
  facts.landlock_abi = abi > 0 ? static_cast<int>(abi) : 0;
  constexpr int kKnowsSockets = 9;  // since this version Landlock restricts Unix sockets
  if (facts.landlock_abi >= kKnowsSockets) return facts;
  Result<std::vector<std::string>> sockets = BoundSockets();
  if (!sockets) facts.sockets_unknown = sockets.error().text();
  if (sockets) facts.sockets = std::move(*sockets);
  return facts;
}

HostFacts ProbeHostForReport(const SandboxRules& rules) {
  HostFacts facts = ProbeHost(rules);
  facts.has_veth = !LacksVeth();
  return facts;
}

}  // namespace ringfence
