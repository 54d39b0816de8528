// `ringfence-proxy`: lets the programs in sandboxes reach the hosts that the policy lists.
// Launchers start it, as the user's parent of all sessions; it starts itself again for each
// session.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "base/unique_fd.h"
#include "proxy/broker/broker.h"
#include "proxy/link/control.h"
#include "proxy/parent/parent.h"
#include "proxy/worker/worker.h"

namespace ringfence {
namespace {

constexpr const char* kHelp =
    "ringfence-proxy lets the programs in a sandbox reach the hosts that the policy lists.\n"
    "ringfence run starts it when it is needed, and it ends soon after the last sandbox.\n"
    "\n"
    "To look at it:  ringfence proxy status\n"
    "                ringfence proxy log\n";

bool IsSocket(int fd) {
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 && S_ISSOCK(facts.st_mode) &&
         ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

bool IsDirectory(int fd) {
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode) &&
         ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

int Main(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (argc == 2 && word == "session" && IsSocket(kListeningFd)) {
    ::syscall(SYS_close_range, kListeningFd + 1, ~0U, 0);
    return ServeSession(UniqueFd(kListeningFd), ServeConnections);
  }
  if (argc == 1 && IsSocket(kListeningFd) && IsDirectory(kFolderFd)) {
    // Descriptors of the launcher, which others may wait for.
    ::syscall(SYS_close_range, kFolderFd + 1, ~0U, 0);
    if (::chdir("/") != 0) return 1;
    return ServeSessions(UniqueFd(kListeningFd), UniqueFd(kFolderFd));
  }
  std::fputs(kHelp, word == "--help" ? stdout : stderr);
  return word == "--help" ? 0 : 2;
}

}  // namespace
}  // namespace ringfence

int main(int argc, char** argv) {
  try {
    return ringfence::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ringfence-proxy: %s\n", error.what());
    return 1;
  }
}
