#include "base/socket_pair.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>

#include "base/syscall.h"

namespace ringfence {
namespace {

#ifdef __APPLE__
constexpr int kClosedOnExec = 0;
bool SetUp(int fd) {
  const int on = 1;
  return fd >= 0 && ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 &&
         ::setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on) == 0;
}
#else
constexpr int kClosedOnExec = SOCK_CLOEXEC;
bool SetUp(int) { return true; }
#endif

}  // namespace

UniqueFd NewSocket(int domain, int type) {
  UniqueFd opened(::socket(domain, type | kClosedOnExec, 0));
  SetUp(opened.get());
  return opened;
}

Result<SocketPair> MakeSocketPair(int type) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, type | kClosedOnExec, 0, ends.data()) != 0) {
    return SystemError("socketpair");
  }
  SocketPair pair{UniqueFd(ends[0]), UniqueFd(ends[1])};
  if (!SetUp(ends[0]) || !SetUp(ends[1])) return SystemError("set up a socket pair");
  return pair;
}

}  // namespace ringfence
