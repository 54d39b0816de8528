#include "base/message_socket.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/socket_pair.h"
#include "base/syscall.h"

using namespace ringfence;

namespace {

SocketPair Pair() {
  Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
  REQUIRE(pair);
  return std::move(*pair);
}

Status Send(const SocketPair& pair, std::vector<std::string_view> fields,
            std::span<const int> fds = {}) {
  return SendSocketMessage(pair.own.get(), 'x', fields, fds);
}

}  // namespace

TEST_CASE("message socket: a message arrives with its fields and its descriptors") {
  const SocketPair pair = Pair();
  const UniqueFd null = OpenFile("/dev/null", O_RDONLY);
  const int fds[] = {null.get(), pair.own.get()};
  REQUIRE(Send(pair, {"one", "", "three\n"}, fds));
  const Result<SocketMessage> message = ReceiveSocketMessage(pair.other.get());
  REQUIRE(message);
  CHECK(message->type == 'x');
  CHECK(message->fields == std::vector<std::string>{"one", "", "three\n"});
  REQUIRE(message->fds.size() == 2);
  struct stat sent {};
  struct stat got {};
  REQUIRE(::fstat(null.get(), &sent) == 0);
  REQUIRE(::fstat(message->fds[0].get(), &got) == 0);
  CHECK(sent.st_rdev == got.st_rdev);
  for (const UniqueFd& fd : message->fds) {
    CHECK((::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC) != 0);
  }
}

TEST_CASE("message socket: a message that is too large is not sent") {
  const SocketPair pair = Pair();
  const std::string large(kMaxSocketMessage - 2, 'a');  // with the type and its NUL, the most
  REQUIRE(Send(pair, {large}));
  CHECK(ReceiveSocketMessage(pair.other.get())->fields == std::vector<std::string>{large});
  CHECK(Send(pair, {large, ""}).error().code == EMSGSIZE);
  const std::vector<int> many(kMaxSocketMessageFds + 1, pair.own.get());
  CHECK(Send(pair, {"a"}, many).error().code == EMSGSIZE);
  REQUIRE(Send(pair, {"a"}, std::span(many).first(kMaxSocketMessageFds)));
  CHECK(ReceiveSocketMessage(pair.other.get())->fds.size() == kMaxSocketMessageFds);
}

TEST_CASE("message socket: the end of the other side is an error") {
  SocketPair pair = Pair();
  ::fcntl(pair.other.get(), F_SETFL, O_NONBLOCK);
  CHECK(ReceiveSocketMessage(pair.other.get()).error().code == EAGAIN);
  pair.own = UniqueFd();
  CHECK(ReceiveSocketMessage(pair.other.get()).error().code == EPIPE);
  CHECK(SendSocketMessage(pair.other.get(), 'x', {}).error().code == EPIPE);
}
