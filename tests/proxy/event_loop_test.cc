#include "proxy/event_loop.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <boost/asio/steady_timer.hpp>
#include <chrono>

#include "tests/support/full_watches.h"
#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

bool HasWorkingTimer(boost::asio::io_context& io) {
  bool is_due = false;
  boost::asio::steady_timer timer(io, std::chrono::milliseconds(1));
  timer.async_wait([&](const boost::system::error_code& error) { is_due = !error; });
  return RunUntil(io, [&] { return is_due; });
}

}  // namespace

TEST_CASE("event loop: it works at once, or once the kernel watches descriptors again") {
  const SocketPair channel = SeqpacketPair();
  // The loop watches two of its own.
  for (const int failures : {0, 1, 2, 3, 4}) {
    const FullWatches full(failures);
    const auto io = MakeEventLoop(channel.own.get());
    REQUIRE(io != nullptr);
    CHECK(HasWorkingTimer(*io));
  }
}

TEST_CASE("event loop: none is made for a channel that has closed") {
  SocketPair channel = SeqpacketPair();
  channel.other = UniqueFd();
  const FullWatches full;
  CHECK(MakeEventLoop(channel.own.get()) == nullptr);
}

TEST_CASE("event loop: none is made without descriptors") {
  SocketPair channel = SeqpacketPair();
  channel.other = UniqueFd();
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit none = before;
  none.rlim_cur = 1;  // less than what is open; poll(2) takes as many entries
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const auto io = MakeEventLoop(channel.own.get());
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(io == nullptr);
}
