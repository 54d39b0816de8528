#include "proxy/link/control.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/not_copied.h"
#include "base/open_path.h"
#include "base/program.h"
#include "base/socket_pair.h"
#include "base/state_file.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr int kFolderLevels = 4;  // ~/.local/state/ringfence/proxy
constexpr int kWaitingLaunchers = 128;
constexpr int kStartTries = 3000;  // milliseconds

Result<sockaddr_un> AddressOf(const UniqueFd& folder) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = SocketPathIn(folder, ControlSocketName());
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

UniqueFd ControlSocket() { return NewSocket(AF_UNIX, SOCK_SEQPACKET); }

Result<UniqueFd> Connect(const UniqueFd& folder) {
  UniqueFd socket = ControlSocket();
  if (!socket.valid()) return SystemError("socket(proxy)");
  const Result<sockaddr_un> address = AddressOf(folder);
  if (!address) return address.error();
  const void* bytes = &*address;
  if (::connect(socket.get(), static_cast<const sockaddr*>(bytes), sizeof *address) == 0) {
    return socket;
  }
  return SystemError("connect(proxy)");
}

bool IsNotRunning(const Error& error) { return error.code == ENOENT || error.code == ECONNREFUSED; }

// Binds and listens, so that launchers can connect before the proxy runs.
Result<UniqueFd> Listen(const UniqueFd& folder) {
  ::unlinkat(folder.get(), ControlSocketName().c_str(), 0);
  UniqueFd socket = ControlSocket();
  if (!socket.valid()) return SystemError("socket(proxy)");
  const Result<sockaddr_un> address = AddressOf(folder);
  if (!address) return address.error();
  const void* bytes = &*address;
  if (::bind(socket.get(), static_cast<const sockaddr*>(bytes), sizeof *address) != 0) {
    return SystemError("bind(proxy)");
  }
  if (::listen(socket.get(), kWaitingLaunchers) != 0) return SystemError("listen(proxy)");
  return socket;
}

class SpawnSettings : NotCopied {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  // A session of its own, all signals as usual, no stream of the caller's.
  int Start(const std::string& program, const UniqueFd& listening, const UniqueFd& folder) {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    // Above the numbers that the proxy expects, so that neither replaces the other.
    const UniqueFd high_listening(::fcntl(listening.get(), F_DUPFD_CLOEXEC, kFolderFd + 1));
    const UniqueFd high_folder(::fcntl(folder.get(), F_DUPFD_CLOEXEC, kFolderFd + 1));
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
      ::posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_RDWR, 0);
    }
    ::posix_spawn_file_actions_adddup2(&actions_, high_listening.get(), kListeningFd);
    ::posix_spawn_file_actions_adddup2(&actions_, high_folder.get(), kFolderFd);
    std::vector<std::string> arguments{program};
    char* const no_environment[] = {nullptr};
    pid_t child = -1;
    return ::posix_spawn(&child, program.c_str(), &actions_, &attributes_,
                         ArgumentPointers(arguments).data(), no_environment);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

Result<ControlConnection> StartProxy(const UniqueFd& folder, const std::string& program) {
  const UniqueFd lock(::openat(folder.get(), std::string(kControlLock).c_str(),
                               O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock.valid()) return SystemError("open(proxy lock)");
  const Result<bool> locked = LockFile(lock.get(), kStartTries);
  if (!locked) return locked.error();
  if (!*locked) {
    return Error{Error::Kind::kSystem, "the egress proxy", "another command is starting it, slowly",
                 "run the command again"};
  }
  // Another launcher may have started it in the meantime.
  if (Result<UniqueFd> socket = Connect(folder))
    return ControlConnection{std::move(*socket), false};
  const Result<UniqueFd> listening = Listen(folder);
  if (!listening) return listening.error();
  if (const int code = SpawnSettings().Start(program, *listening, folder); code != 0) {
    ::unlinkat(folder.get(), ControlSocketName().c_str(), 0);
    return ProgramNotStarted(program, code);
  }
  Result<UniqueFd> socket = Connect(folder);
  if (!socket) return socket.error();
  return ControlConnection{std::move(*socket), true};
}

}  // namespace

std::string ControlSocketName() {
  std::string name(kControlPrefix);
  for (const char* kind : {"user", "net", "mnt"}) {
    struct stat facts {};
    ::stat((std::string("/proc/self/ns/") + kind).c_str(), &facts);
    if (name.back() != '-') name += '-';
    name += std::to_string(facts.st_ino);
  }
  return name;
}

std::string SocketPathIn(const UniqueFd& folder, std::string_view name) {
  return "/proc/self/fd/" + std::to_string(folder.get()) + "/" + std::string(name);
}

Result<UniqueFd> OpenProxyFolder(const Path& folder) {
  UniqueFd opened(::open(folder.text().c_str(), kOpenPath | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (!opened.valid() || ::fstat(opened.get(), &facts) != 0) {
    return SystemError("open(" + folder.text() + ")");
  }
  if (facts.st_uid != ::geteuid() || (facts.st_mode & 0077) != 0) {
    return Error{Error::Kind::kSystem, folder.text(), "other users have access to it",
                 "remove it, or: chmod 700", EPERM};
  }
  return opened;
}

Result<UniqueFd> ConnectToRunningProxy(const Path& folder) {
  const Result<UniqueFd> opened = OpenProxyFolder(folder);
  if (!opened) return opened.error();
  return Connect(*opened);
}

Status CheckProxyAccess(const Path& folder) {
  const Result<UniqueFd> opened = OpenProxyFolder(folder);
  if (!opened && opened.error().code == ENOENT) return Unit{};
  if (!opened) return opened.error();
  const Result<UniqueFd> socket = Connect(*opened);
  if (socket) return Unit{};
  if (!IsNotRunning(socket.error())) return socket.error();
  const std::string name(kControlLock);
  const UniqueFd lock(::openat(opened->get(), name.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (!lock.valid() && errno == ENOENT) return Unit{};
  if (!lock.valid()) return SystemError("open(" + folder.Child(name).text() + ")");
  const Result<bool> locked = LockFile(lock.get(), kStartTries);
  if (!locked) return locked.error();
  if (*locked) return Unit{};
  return Error{Error::Kind::kSystem, folder.Child(name).text(),
               "another program holds this lock, and no proxy runs", "end that program"};
}

Result<ControlConnection> ConnectToProxy(const Path& folder, const std::string& program) {
  if (Status s = MakeFolders(folder, kFolderLevels); !s) return s.error();
  const Result<UniqueFd> opened = OpenProxyFolder(folder);
  if (!opened) return opened.error();
  Result<UniqueFd> socket = Connect(*opened);
  if (socket) return ControlConnection{std::move(*socket), false};
  if (!IsNotRunning(socket.error())) return socket.error();
  return StartProxy(*opened, program);
}

std::vector<std::string_view> SessionRequest::Fields() const {
  std::vector<std::string_view> fields{
      key, name, is_shared ? "1" : "", is_agent ? "1" : "", is_trial ? "1" : "", credential};
  fields.insert(fields.end(), words.begin(), words.end());
  return fields;
}

Result<SessionRequest> SessionRequest::Of(std::vector<std::string> fields) {
  constexpr ptrdiff_t kOwn = 6;
  if (fields.size() < kOwn || fields[0].empty()) return SystemError("read a session", EPROTO);
  SessionRequest request;
  request.key = std::move(fields[0]);
  request.name = std::move(fields[1]);
  request.is_shared = !fields[2].empty();
  request.is_agent = !fields[3].empty();
  request.is_trial = !fields[4].empty();
  request.credential = std::move(fields[5]);
  request.words.assign(std::move_iterator(fields.begin() + kOwn), std::move_iterator(fields.end()));
  return request;
}

}  // namespace ringfence
