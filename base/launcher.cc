#include "base/launcher.h"

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
bool HasLauncher() { return ::access(kAuditSocket, F_OK) == 0; }

Result<bool> SendToLauncher(const std::string& packet) {
  constexpr const char* kCall = "the launcher outside of the sandbox";
  constexpr timeval kWait{.tv_sec = 1, .tv_usec = 0};  // the launcher may wait for a lock itself
  if (::access(kAuditSocket, F_OK) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return SystemError(kCall);
  }
  const UniqueFd launcher(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, kAuditSocket, sizeof kAuditSocket);
  ::setsockopt(launcher.get(), SOL_SOCKET, SO_SNDTIMEO, &kWait, sizeof kWait);
  ::setsockopt(launcher.get(), SOL_SOCKET, SO_RCVTIMEO, &kWait, sizeof kWait);
  const void* bytes = &address;
  char answer = 0;
  if (::connect(launcher.get(), static_cast<const sockaddr*>(bytes), sizeof address) != 0 ||
      ::send(launcher.get(), packet.data(), packet.size(), MSG_NOSIGNAL) < 0 ||
      ::recv(launcher.get(), &answer, 1, 0) < 0) {
    return SystemError(kCall);
  }
  if (answer != '1') return Error{Error::Kind::kSystem, kCall, "rejected it", ""};
  return true;
}
#else
bool HasLauncher() { return false; }

Result<bool> SendToLauncher(const std::string&) { return false; }
#endif

}  // namespace ringfence
