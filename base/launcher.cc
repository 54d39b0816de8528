#include "base/launcher.h"

#ifdef __linux__
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#endif
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/inside.h"
#include "base/syscall.h"
#include "base/unique_fd.h"

namespace ringfence {

#ifdef __linux__
bool HasLauncher() { return ::access(kLauncherSocket, F_OK) == 0; }

bool HasSandboxFilter() {
  return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
         ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER;
}

// A supervisor rejects an empty set of rules (EINVAL). Without one the name does not exist
// (ENOENT).
bool IsSupervised() {
  if (!HasSandboxFilter()) return false;
  const UniqueFd none(::memfd_create("none", MFD_CLOEXEC));
  return none.valid() && ::linkat(none.get(), "", AT_FDCWD, kRulesName, AT_EMPTY_PATH) != 0 &&
         errno == EINVAL;
}

Result<std::optional<std::string>> SendToLauncher(const std::string& packet) {
  constexpr const char* kCall = "the launcher outside of the sandbox";
  constexpr timeval kWait{.tv_sec = 1, .tv_usec = 0};  // the launcher may wait for a lock itself
  if (::access(kLauncherSocket, F_OK) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<std::string>();
    return SystemError(kCall);
  }
  const UniqueFd launcher(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, kLauncherSocket, sizeof kLauncherSocket);
  ::setsockopt(launcher.get(), SOL_SOCKET, SO_SNDTIMEO, &kWait, sizeof kWait);
  ::setsockopt(launcher.get(), SOL_SOCKET, SO_RCVTIMEO, &kWait, sizeof kWait);
  const void* bytes = &address;
  std::string reply(kMaxLauncherReply, '\0');
  if (::connect(launcher.get(), static_cast<const sockaddr*>(bytes), sizeof address) != 0 ||
      ::send(launcher.get(), packet.data(), packet.size(), MSG_NOSIGNAL) < 0) {
    return SystemError(kCall);
  }
  const ssize_t size = ::recv(launcher.get(), reply.data(), reply.size(), 0);
  if (size < 0) return SystemError(kCall);
  reply.resize(static_cast<size_t>(size));
  if (!reply.starts_with(kLauncherAccepts)) {
    return Error{Error::Kind::kSystem, kCall, "rejected it", ""};
  }
  return std::optional(reply.substr(1));
}
#else
bool HasLauncher() { return false; }

bool HasSandboxFilter() { return false; }

bool IsSupervised() { return false; }

Result<std::optional<std::string>> SendToLauncher(const std::string&) {
  return std::optional<std::string>();
}
#endif

}  // namespace ringfence
