#include "proxy/message_channel.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/syscall.h"
#include "tests/support/full_watches.h"
#include "tests/support/hoarded_descriptors.h"
#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

struct Channel {
  boost::asio::io_context io{1};
  boost::asio::steady_timer watched{io};  // now the loop watches its own descriptors
  FullWatches full;
  SocketPair pair = SeqpacketPair();
  MessageChannel channel{io, std::move(pair.own)};
  std::vector<SocketMessage> heard;
  int ends = 0;

  // `unwatched`: how often the kernel does not watch the socket.
  explicit Channel(int unwatched = 0) : full(unwatched) {
    REQUIRE(::fcntl(pair.other.get(), F_SETFL, O_NONBLOCK) == 0);
    channel.Start([this](SocketMessage message) { heard.push_back(std::move(message)); },
                  [this] { ++ends; });
  }
  bool Hears(size_t count) {
    return RunUntil(io, [this, count] { return heard.size() >= count; });
  }
  bool Ends() {
    return RunUntil(io, [this] { return ends > 0; });
  }
  void Write(char type, const std::vector<std::string_view>& fields) {
    REQUIRE(SendSocketMessage(pair.other.get(), type, fields));
  }
  Result<SocketMessage> Read() { return ReceiveSocketMessage(pair.other.get()); }
  void SendDescriptor(char type) {
    std::vector<UniqueFd> fds;
    fds.push_back(OpenFile("/dev/null", O_RDONLY));
    channel.Send(type, {}, std::move(fds));
  }
};

}  // namespace

TEST_CASE("message channel: messages arrive in order, with their descriptors") {
  Channel channel;
  // More than the loop takes at once.
  for (int i = 0; i < 100; ++i) {
    channel.Write('x', {std::to_string(i)});
    if (i % 50 == 49) REQUIRE(channel.Hears(static_cast<size_t>(i) + 1));
  }
  CHECK(channel.heard[99].fields == std::vector<std::string>{"99"});
  std::vector<UniqueFd> fds;
  fds.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  channel.channel.Send('y', {"a", ""}, std::move(fds));
  const Result<SocketMessage> sent = channel.Read();
  REQUIRE(sent);
  CHECK(sent->type == 'y');
  CHECK(sent->fields == std::vector<std::string>{"a", ""});
  CHECK(sent->fds.size() == 1);
  CHECK(channel.ends == 0);
}

TEST_CASE("message channel: a long field is cut off") {
  Channel channel;
  const std::string endless(40'000, 'a');
  channel.channel.Send('x', {endless, "b", endless});
  const Result<SocketMessage> sent = channel.Read();
  REQUIRE(sent);
  CHECK(sent->fields ==
        std::vector<std::string>{endless.substr(0, 8192), "b", endless.substr(0, 8192)});
  CHECK(channel.ends == 0);
}

TEST_CASE("message channel: messages that are kept go with others, at a word, or soon") {
  Channel channel;
  const auto next = [&] {
    std::optional<char> type;
    REQUIRE(RunUntil(channel.io, [&] {
      const Result<SocketMessage> message = channel.Read();
      if (message) type = message->type;
      return type.has_value();
    }));
    return *type;
  };
  channel.channel.SendLater('a', {"1"});
  CHECK_FALSE(channel.Read());
  CHECK(next() == 'a');
  channel.channel.SendLater('b', {});
  channel.channel.Send('c', {});
  CHECK(channel.Read()->type == 'b');
  CHECK(channel.Read()->type == 'c');
  channel.channel.SendLater('d', {});
  channel.channel.SendKept();
  CHECK(channel.Read()->type == 'd');
  for (int i = 0; i < 32; ++i) channel.channel.SendLater('e', {});
  CHECK(channel.Read());
  channel.pair.other = UniqueFd();
  REQUIRE(channel.Ends());
  channel.channel.SendLater('f', {});
  channel.channel.SendKept();
}

TEST_CASE("message channel: many messages that are there already") {
  Channel channel;
  size_t count = 0;
  while (count < 200 && SendSocketMessage(channel.pair.other.get(), 'x', {})) ++count;
  CHECK(channel.Hears(count));
}

TEST_CASE("message channel: what the other side does not take is kept, in order") {
  Channel channel;
  constexpr int kCount = 3000;
  const std::string filling(1000, 'f');
  for (int i = 0; i < kCount; ++i) {
    std::vector<UniqueFd> fds;
    if (i == kCount - 1) fds.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    channel.channel.Send('x', {std::to_string(i), filling}, std::move(fds));
  }
  int next = 0;
  bool is_right = true;
  size_t descriptors = 0;
  CHECK(RunUntil(channel.io, [&] {
    while (Result<SocketMessage> message = channel.Read()) {
      is_right = is_right && message->fields[0] == std::to_string(next++);
      descriptors += message->fds.size();
    }
    return next == kCount;
  }));
  CHECK(is_right);
  CHECK(descriptors == 1);
  CHECK(channel.ends == 0);
}

TEST_CASE("message channel: messages wait until the kernel watches the socket") {
  Channel channel(kEndlessly);
  channel.channel.Send('a', {});
  channel.channel.Send('b', {});
  channel.Write('x', {});
  CHECK(RunUntil(channel.io, [&] { return channel.full.Failed() > 2; }));  // two attempts or more
  CHECK_FALSE(channel.Read());
  CHECK(channel.heard.empty());
  SUBCASE("") {
    const FullWatches none(0);
    REQUIRE(channel.Hears(1));
    CHECK(channel.Read()->type == 'a');
    CHECK(channel.Read()->type == 'b');
    CHECK(channel.ends == 0);
  }
  SUBCASE("or it ends with the messages that wait") {
    for (int i = 0; i < 5000; ++i) channel.channel.Send('x', {});
    CHECK(channel.ends == 1);
    channel.io.restart();
    channel.io.run();  // no attempt is left
  }
}

TEST_CASE("message channel: it ends once, with the other side") {
  Channel channel;
  channel.Write('x', {});
  channel.pair.other = UniqueFd();
  REQUIRE(channel.Ends());
  CHECK(channel.heard.size() == 1);
  channel.channel.Send('y', {});
  channel.io.restart();
  channel.io.poll();
  CHECK(channel.ends == 1);
}

TEST_CASE("message channel: sending notices the end, too") {
  Channel channel;
  channel.pair.other = UniqueFd();
  channel.channel.Send('y', {});
  channel.channel.Send('y', {});
  CHECK(channel.ends == 1);
}

TEST_CASE("message channel: it ends while messages wait") {
  Channel channel;
  const std::string filling(1000, 'f');
  for (int i = 0; i < 2000; ++i) channel.channel.Send('x', {filling});
  CHECK(channel.ends == 0);
  channel.pair.other = UniqueFd();
  REQUIRE(channel.Ends());
  CHECK(channel.ends == 1);
}

TEST_CASE("message channel: it ends if the other side takes nothing for too long") {
  Channel channel;
  const std::string filling(1000, 'f');
  int sent = 0;
  for (; sent < 20'000 && channel.ends == 0; ++sent) channel.channel.Send('x', {filling});
  CHECK(sent > 4096);
  CHECK(channel.ends == 1);
}

TEST_CASE("message channel: it ends with a message that is too large") {
  Channel channel;
  channel.channel.Send('x', std::vector<std::string_view>(kMaxSocketMessage, "l"));
  CHECK(channel.ends == 1);
}

TEST_CASE("message channel: a handler may end it by sending") {
  Channel channel;
  bool has_sent = false;
  channel.channel.Start(
      [&](const SocketMessage&) {
        has_sent = true;
        channel.channel.Send('x', std::vector<std::string_view>(kMaxSocketMessage, "l"));
      },
      [&] { ++channel.ends; });
  channel.Write('a', {});
  channel.Write('b', {});
  REQUIRE(channel.Ends());
  CHECK(has_sent);
  CHECK(channel.ends == 1);
}

TEST_CASE("message channel: messages wait while the kernel takes no descriptors, in order") {
  Channel channel;
  std::optional<HoardedDescriptors> hoarded(std::in_place);
  channel.SendDescriptor('a');
  channel.channel.Send('b', {});                       // could be sent, but not before the other
  channel.io.run_for(std::chrono::milliseconds(100));  // several attempts
  const Result<SocketMessage> none = channel.Read();
  REQUIRE_FALSE(none);
  CHECK(none.error().code == EAGAIN);
  CHECK(channel.ends == 0);
  hoarded.reset();
  std::string types;
  size_t descriptors = 0;
  CHECK(RunUntil(channel.io, [&] {
    while (Result<SocketMessage> message = channel.Read()) {
      types += message->type;
      descriptors += message->fds.size();
    }
    return types.size() == 2;
  }));
  CHECK(types == "ab");
  CHECK(descriptors == 1);
  CHECK(channel.ends == 0);
}

TEST_CASE("message channel: it ends while the kernel takes no descriptors") {
  Channel channel;
  const HoardedDescriptors hoarded;
  channel.SendDescriptor('a');
  channel.pair.other = UniqueFd();
  REQUIRE(channel.Ends());
  channel.io.restart();
  channel.io.run();  // nothing is waited for any more
  CHECK(channel.ends == 1);
}
