#include "proxy/broker/dialer.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/support/full_watches.h"
#include "tests/support/stale_event.h"
#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

Address At(std::string_view text) {
  const std::optional<Address> address = ParseAddress(text);
  REQUIRE(address);
  return *address;
}

struct Dialled {
  boost::asio::io_context io{1};
  std::optional<Dialer::Outcome> outcome;
  int answers = 0;

  // `unwatched`: the number of attempts that the kernel cannot watch.
  Dialled(const std::vector<std::string_view>& addresses, uint16_t port, int unwatched = 0) {
    const boost::asio::steady_timer watched(io);  // now the loop watches its own descriptors
    const FullWatches full(unwatched);
    std::vector<Address> list;
    for (const std::string_view text : addresses) list.push_back(At(text));
    Dialer::Dial(io, list, port, [this](Dialer::Outcome found) {
      outcome = std::move(found);
      ++answers;
    });
    REQUIRE(RunUntil(io, [this] { return outcome.has_value(); }));
    // No timer nor attempt keeps the loop busy, and none answers again.
    io.restart();
    io.run();
    CHECK(answers == 1);
  }
};

// 127.0.0.2, where nothing answers: the kernel drops what comes to a full queue.
struct Silent {
  UniqueFd full{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::vector<UniqueFd> waiting;

  explicit Silent(uint16_t port) {
    sockaddr_in address = LoopbackAddress(port);
    REQUIRE(::inet_pton(AF_INET, "127.0.0.2", &address.sin_addr) == 1);
    REQUIRE(::bind(full.get(), SocketAddress(address), sizeof address) == 0);
    REQUIRE(::listen(full.get(), 0) == 0);
    for (int i = 0; i < 4; ++i) {
      waiting.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      ::connect(waiting.back().get(), SocketAddress(address), sizeof address);
    }
  }
};

uint16_t ClosedPort() { return LoopbackListener().port(); }

}  // namespace

TEST_CASE("dialer: the first address that answers") {
  const LoopbackListener listener;
  Dialled dialled({"127.0.0.1"}, listener.port());
  REQUIRE(dialled.outcome->socket.valid());
  CHECK(dialled.outcome->address == At("127.0.0.1"));
  CHECK(dialled.outcome->error.empty());
  CHECK((::fcntl(dialled.outcome->socket.get(), F_GETFL) & O_NONBLOCK) != 0);
  CHECK(listener.Accept().valid());
}

TEST_CASE("dialer: the next address if one refuses") {
  const LoopbackListener listener;
  Dialled dialled({"127.0.0.2", "[::1]", "127.0.0.1"}, listener.port());
  CHECK(dialled.outcome->socket.valid());
  CHECK(dialled.outcome->address == At("127.0.0.1"));
}

TEST_CASE("dialer: the event of a closed socket does not count as a connection") {
  const LoopbackListener listener;
  const Silent silent(listener.port());
  boost::asio::io_context io{1};
  std::optional<Dialer::Outcome> outcome;
  const StaleEvent event(io, [&] {
    Dialer::Dial(io, {At("127.0.0.2"), At("127.0.0.1")}, listener.port(),
                 [&outcome](Dialer::Outcome found) { outcome = std::move(found); });
  });
  REQUIRE(RunUntil(io, [&outcome] { return outcome.has_value(); }));
  CHECK(outcome->address == At("127.0.0.1"));
}

TEST_CASE("dialer: no address answers") {
  Dialled dialled({"127.0.0.2", "127.0.0.1"}, ClosedPort());
  CHECK_FALSE(dialled.outcome->socket.valid());
  CHECK(dialled.outcome->error == "Connection refused");
}

TEST_CASE("dialer: no address at all") {
  Dialled dialled({}, 80);
  CHECK_FALSE(dialled.outcome->socket.valid());
}

TEST_CASE("dialer: the next address if one does not answer soon") {
  const LoopbackListener listener;
  const Silent silent(listener.port());
  Dialled dialled({"127.0.0.2", "127.0.0.1"}, listener.port());
  CHECK(dialled.outcome->socket.valid());
  CHECK(dialled.outcome->address == At("127.0.0.1"));
}

TEST_CASE("dialer: an attempt that the kernel cannot watch fails, and no other") {
  const LoopbackListener listener;
  const Silent silent(listener.port());
  SUBCASE("the next address answers") {
    Dialled dialled({"127.0.0.2", "127.0.0.1"}, listener.port(), 1);
    CHECK(dialled.outcome->address == At("127.0.0.1"));
  }
  SUBCASE("there is none") {
    Dialled dialled({"127.0.0.2"}, listener.port(), 1);
    CHECK_FALSE(dialled.outcome->socket.valid());
    CHECK(dialled.outcome->error == "No space left on device");
  }
}
