#include "sandbox/linux/channel.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/syscall.h"

using namespace ringfence;

namespace {

struct Channel {
  Channel() {
    std::array<int, 2> ends{-1, -1};
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) == 0);
    near = UniqueFd(ends[0]);
    far = UniqueFd(ends[1]);
  }
  UniqueFd near;
  UniqueFd far;
};

// Sends raw bytes, without SendPacket().
void SendBytes(const UniqueFd& socket, std::string_view bytes) {
  REQUIRE(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(bytes.size()));
}

int OpenNull() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }

// The lowest free number shows if descriptors were left open.
int NextDescriptor() {
  const UniqueFd fd(OpenNull());
  return fd.get();
}

}  // namespace

TEST_CASE("channel: a failed step of the setup arrives as it was sent") {
  const SetupFailure failures[] = {
      {"mount view", SystemError("mount_setattr(/)", ENOSYS, Error::About::kMountSetattr),
       Feature::kNamespaces},
      {"resource group", SystemError("open(/x)", EMFILE), Feature::kDelegation},
      {"signals", Error{Error::Kind::kSystem, "", "no call failed", ""}, {}},
  };
  const Channel channel;
  for (const SetupFailure& sent : failures) {
    CAPTURE(sent.step);
    REQUIRE(SendFailure(channel.near, sent));
    const Result<Packet> packet = ReceivePacket(channel.far);
    REQUIRE(packet);
    REQUIRE(packet->message == Message::kFailed);
    const SetupFailure got = FailureIn(*packet);
    CHECK(got.step == sent.step);
    CHECK(got.error == sent.error);
    CHECK(got.lacks == sent.lacks);
  }
  Packet cut;  // fields missing from a truncated packet are empty
  cut.fields = {"mount view", "mount(/)"};
  CHECK(FailureIn(cut).text() == "mount view: mount(/): ");
  CHECK(FailureIn(cut).error.code == 0);
  CHECK_FALSE(FailureIn(cut).lacks.has_value());
}

TEST_CASE("channel: a packet arrives with its message and its fields") {
  const Channel channel;
  for (const Message message :
       {Message::kFailed, Message::kStarted, Message::kNotRun, Message::kRefused, Message::kEnded,
        Message::kTerminal, Message::kSignal}) {
    REQUIRE(SendPacket(channel.near, message, {"/home/dev/x y", "EACCES", "a\nb\xff"}));
    const Result<Packet> packet = ReceivePacket(channel.far);
    REQUIRE(packet);
    CHECK(packet->message == message);
    CHECK(packet->fields == std::vector<std::string>{"/home/dev/x y", "EACCES", "a\nb\xff"});
    CHECK_FALSE(packet->fd.valid());
  }
}

TEST_CASE("channel: fields may be empty or none") {
  const Channel channel;
  REQUIRE(SendPacket(channel.near, Message::kRefused, {"", "x", "", ""}));
  REQUIRE(SendPacket(channel.near, Message::kStarted, {}));
  REQUIRE(SendPacket(channel.near, Message::kStarted, {""}));
  CHECK(ReceivePacket(channel.far)->fields == std::vector<std::string>{"", "x", "", ""});
  CHECK(ReceivePacket(channel.far)->fields.empty());
  CHECK(ReceivePacket(channel.far)->fields == std::vector<std::string>{""});
}

TEST_CASE("channel: packets stay separate and in order, in both directions") {
  const Channel channel;
  REQUIRE(SendPacket(channel.near, Message::kRefused, {"1"}));
  REQUIRE(SendPacket(channel.near, Message::kRefused, {"2", "3"}));
  REQUIRE(SendPacket(channel.far, Message::kSignal, {"15"}));
  CHECK(ReceivePacket(channel.near)->fields == std::vector<std::string>{"15"});
  CHECK(ReceivePacket(channel.far)->fields == std::vector<std::string>{"1"});
  CHECK(ReceivePacket(channel.far)->fields == std::vector<std::string>{"2", "3"});
}

TEST_CASE("channel: a descriptor is passed on, and closed in executed programs") {
  const Channel channel;
  const UniqueFd sent(OpenNull());
  REQUIRE(SendPacket(channel.near, Message::kTerminal, {"x"}, sent.get()));
  const Result<Packet> packet = ReceivePacket(channel.far);
  REQUIRE(packet);
  CHECK(packet->fields == std::vector<std::string>{"x"});
  REQUIRE(packet->fd.valid());
  CHECK(packet->fd.get() != sent.get());
  CHECK((::fcntl(packet->fd.get(), F_GETFD) & FD_CLOEXEC) != 0);
  struct stat one {};
  struct stat other {};
  REQUIRE(::fstat(sent.get(), &one) == 0);
  REQUIRE(::fstat(packet->fd.get(), &other) == 0);
  CHECK(one.st_rdev == other.st_rdev);
}

TEST_CASE("channel: a descriptor that is not open is an error") {
  const Channel channel;
  const Status sent = SendPacket(channel.near, Message::kTerminal, {}, 1 << 20);
  REQUIRE_FALSE(sent);
  CHECK(sent.error().code == EBADF);
}

TEST_CASE("channel: of several descriptors one is kept and none is left open") {
  const Channel channel;
  const UniqueFd sent(OpenNull());
  const int before = NextDescriptor();
  std::array<int, 2> two{sent.get(), sent.get()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof two)> control{};
  char byte = static_cast<char>(Message::kTerminal);
  iovec part{&byte, 1};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  cmsghdr* rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof two);
  std::memcpy(CMSG_DATA(rights), two.data(), sizeof two);
  REQUIRE(::sendmsg(channel.near.get(), &header, MSG_NOSIGNAL) == 1);
  {
    const Result<Packet> packet = ReceivePacket(channel.far);
    REQUIRE(packet);
    CHECK(packet->fd.valid());
  }
  CHECK(NextDescriptor() == before);
}

TEST_CASE("channel: the end of the other side is an error and not a signal") {
  Channel channel;
  REQUIRE(SendPacket(channel.near, Message::kEnded, {"0"}));
  channel.near = UniqueFd();
  CHECK(ReceivePacket(channel.far)->fields == std::vector<std::string>{"0"});
  const Result<Packet> none = ReceivePacket(channel.far);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == EPIPE);
  const Status sent = SendPacket(channel.far, Message::kSignal, {"15"});
  REQUIRE_FALSE(sent);
  CHECK(sent.error().code == EPIPE);
}

TEST_CASE("channel: a descriptor that is not a socket is an error") {
  const UniqueFd null(OpenNull());
  CHECK_FALSE(SendPacket(null, Message::kStarted, {}));
  CHECK_FALSE(ReceivePacket(null));
  CHECK_FALSE(SendPacket(UniqueFd(), Message::kStarted, {}));
  CHECK_FALSE(ReceivePacket(UniqueFd()));
}

TEST_CASE("channel: the longest names that the kernel accepts arrive complete") {
  const Channel channel;
  const std::string path = "/" + std::string(4094, 'p');
  const std::string why(8000, 'w');
  REQUIRE(SendPacket(channel.near, Message::kRefused, {path, why, "EACCES"}));
  CHECK(ReceivePacket(channel.far)->fields == std::vector<std::string>{path, why, "EACCES"});
}

TEST_CASE("channel: an over-long packet keeps the fields before its cut") {
  const Channel channel;
  const std::string endless(1 << 20, 'x');
  REQUIRE(SendPacket(channel.near, Message::kRefused, {"/path", endless, "EACCES"}));
  REQUIRE(SendPacket(channel.near, Message::kEnded, {"0"}));
  const Result<Packet> cut = ReceivePacket(channel.far);
  REQUIRE(cut);
  CHECK(cut->message == Message::kRefused);
  REQUIRE_FALSE(cut->fields.empty());
  CHECK(cut->fields.front() == "/path");
  // The rest does not run into the next packet.
  CHECK(ReceivePacket(channel.far)->fields == std::vector<std::string>{"0"});
}

TEST_CASE("channel: an over-long field arrives as far as it fits") {
  const Channel channel;
  REQUIRE(SendPacket(channel.near, Message::kRefused, {"/path", std::string(1 << 20, 'x')}));
  const Result<Packet> cut = ReceivePacket(channel.far);
  REQUIRE(cut);
  REQUIRE(cut->fields.size() == 2);
  CHECK(cut->fields[1].size() > 1000);
  CHECK(cut->fields[1].find_first_not_of('x') == std::string::npos);
}

TEST_CASE("channel: a packet from another writer is read without harm") {
  const Channel channel;
  SendBytes(channel.near, "r");
  SendBytes(channel.near, "rno end");
  SendBytes(channel.near, std::string(3, '\0'));
  SendBytes(channel.near, "r" + std::string(30000, 'x'));
  CHECK(ReceivePacket(channel.far)->fields.empty());
  const Result<Packet> open_ended = ReceivePacket(channel.far);
  REQUIRE(open_ended);
  CHECK(open_ended->message == Message::kRefused);
  CHECK(ReceivePacket(channel.far)->fields == std::vector<std::string>{"", ""});
  CHECK(ReceivePacket(channel.far).has_value());
}
