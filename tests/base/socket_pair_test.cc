#include "base/socket_pair.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>

using namespace ringfence;

TEST_CASE("socket pair: both ends are connected and closed on exec") {
  const Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
  REQUIRE(pair);
  REQUIRE(::send(pair->own.get(), "hello", 5, 0) == 5);
  std::array<char, 8> bytes{};
  REQUIRE(::recv(pair->other.get(), bytes.data(), bytes.size(), 0) == 5);
  CHECK(std::string_view(bytes.data(), 5) == "hello");
  for (const UniqueFd* end : {&pair->own, &pair->other}) {
    CHECK((::fcntl(end->get(), F_GETFD) & FD_CLOEXEC) != 0);
  }
  CHECK_FALSE(MakeSocketPair(-1));
}

TEST_CASE("socket: a new one is closed on exec, and an error leaves its cause") {
  const UniqueFd socket = NewSocket(AF_UNIX, SOCK_STREAM);
  REQUIRE(socket.valid());
  CHECK((::fcntl(socket.get(), F_GETFD) & FD_CLOEXEC) != 0);
  errno = 0;
  CHECK_FALSE(NewSocket(-1, SOCK_STREAM).valid());
  CHECK(errno == EAFNOSUPPORT);
}
