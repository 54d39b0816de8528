#include "proxy/worker/relay.h"

#include <doctest/doctest.h>
#include <netinet/tcp.h>

#include <optional>
#include <string>
#include <utility>

#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

// A relay between a client and a host that the test plays.
struct Between {
  WorkerBench bench;
  std::pair<TcpSocket, FarEnd> client = bench.Connection();
  std::pair<TcpSocket, FarEnd> host = bench.Connection();
  std::optional<Relay::Totals> totals;
  int ends = 0;
  std::shared_ptr<Relay> relay;

  explicit Between(std::string to_host = "", std::string to_client = "") {
    relay = Relay::Start({.client = std::move(client.first),
                          .host = std::move(host.first),
                          .to_host = std::move(to_host),
                          .to_client = std::move(to_client)},
                         [this](const Relay::Totals& sums) {
                           totals = sums;
                           ++ends;
                         });
  }
  FarEnd& program() { return client.second; }
  FarEnd& server() { return host.second; }
  bool Ends() {
    return RunUntil(bench.io(), [this] { return totals.has_value(); });
  }
};

// Sends all of `text`, as fast as the other side reads it.
std::string SendThrough(Between& between, const std::string& text) {
  std::string got;
  size_t sent = 0;
  CHECK(RunUntil(between.bench.io(), [&] {
    const ssize_t some = ::send(between.program().fd(), text.data() + sent, text.size() - sent,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (some > 0) sent += static_cast<size_t>(some);
    got += between.server().TakeAll();
    return got.size() >= text.size();
  }));
  return got;
}

}  // namespace

TEST_CASE("relay: bytes pass both ways, and are counted") {
  Between between;
  between.program().Send("a question");
  CHECK(between.server().Take(10) == "a question");
  between.server().Send("the answer, longer");
  CHECK(between.program().Take(18) == "the answer, longer");
  between.program().Close();
  CHECK(between.server().Rest().empty());
  CHECK_FALSE(between.totals);
  between.server().Close();
  REQUIRE(between.Ends());
  CHECK(between.totals->up == 10);
  CHECK(between.totals->down == 18);
  CHECK_FALSE(between.totals->is_reset);
  between.relay->Abort();
  CHECK(between.ends == 1);
}

TEST_CASE("relay: one side may end long before the other") {
  Between between;
  between.program().Send("all of it");
  between.program().HalfClose();
  CHECK(between.server().Rest() == "all of it");
  between.server().Send("an answer");
  CHECK(between.program().Take(9) == "an answer");
  between.server().HalfClose();
  CHECK_FALSE(between.program().IsReset());
  REQUIRE(between.Ends());
  CHECK_FALSE(between.totals->is_reset);
}

TEST_CASE("relay: a program that has gone gives up its place") {
  const int before = std::exchange(Relay::probe_seconds, 1);
  Between between;
  const int forgotten = 1;  // seconds, in place of tcp_fin_timeout
  REQUIRE(::setsockopt(between.program().fd(), IPPROTO_TCP, TCP_LINGER2, &forgotten,
                       sizeof forgotten) == 0);
  between.program().Close();
  CHECK(between.server().Rest().empty());
  REQUIRE(between.Ends());
  CHECK(between.totals->is_reset);
  Relay::probe_seconds = before;
}

TEST_CASE("relay: what has been read already passes first") {
  Between between("early ", "hello ");
  between.program().Send("late");
  between.server().Send("there");
  CHECK(between.server().Take(10) == "early late");
  CHECK(between.program().Take(11) == "hello there");
}

TEST_CASE("relay: a reset of one side resets the other") {
  SUBCASE("of the program") {
    Between between;
    between.program().Reset();
    CHECK(between.server().IsReset());
    CHECK(between.totals->is_reset);
  }
  SUBCASE("of the host") {
    Between between;
    between.server().Reset();
    CHECK(between.program().IsReset());
    CHECK(between.totals->is_reset);
  }
  SUBCASE("of a host that does not expect more") {
    Between between;
    between.server().HalfClose();
    CHECK_FALSE(between.program().IsReset());
    between.server().Reset();
    RunUntil(between.bench.io(), [&] {
      ::send(between.program().fd(), "more", 4, MSG_NOSIGNAL | MSG_DONTWAIT);
      return between.totals.has_value();
    });
    REQUIRE(between.totals);
    CHECK(between.totals->is_reset);
  }
}

TEST_CASE("relay: both sides are reset when it is idle for too long") {
  Between between;
  between.relay->Abort();
  between.relay->Abort();
  CHECK(between.totals->refusal == "closed, as it was idle");
  CHECK(between.program().IsReset());
  CHECK(between.server().IsReset());
  CHECK(between.ends == 1);
}

TEST_CASE("relay: a slow reader gets everything, and holds up the sender") {
  Between between;
  std::string text;
  for (int i = 0; text.size() < size_t{24} * 1024 * 1024; ++i) text += std::to_string(i) + "\n";
  // More than all buffers of the kernel: the relay itself must not take in the rest.
  size_t sent = 0;
  int idle = 0;
  RunUntil(between.bench.io(), [&] {
    const ssize_t some = ::send(between.program().fd(), text.data() + sent, text.size() - sent,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (some > 0) sent += static_cast<size_t>(some);
    idle = some > 0 ? 0 : idle + 1;
    return idle > 50 || sent == text.size();
  });
  CHECK(sent < text.size());
  size_t got = 0;
  CHECK(RunUntil(between.bench.io(), [&] {
    const ssize_t some = ::send(between.program().fd(), text.data() + sent, text.size() - sent,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (some > 0) sent += static_cast<size_t>(some);
    got += between.server().TakeAll().size();
    return got == text.size();
  }));
  between.program().Close();
  between.server().Close();
  REQUIRE(between.Ends());
  CHECK(between.totals->up == text.size());
}

TEST_CASE("relay: many bytes pass unchanged") {
  Between between;
  std::string text;
  for (int i = 0; text.size() < size_t{2} * 1024 * 1024; ++i) text += std::to_string(i) + "\n";
  CHECK(SendThrough(between, text) == text);
}

TEST_CASE("relay: an end that nobody has read yet counts as hung up") {
  WorkerBench bench;
  auto [socket, far] = bench.Connection();
  CHECK_FALSE(HasHungUp(socket));
  far.Send("unread");
  CHECK_FALSE(HasHungUp(socket));
  far.HalfClose();
  CHECK(RunUntil(bench.io(), [&socket = socket] { return HasHungUp(socket); }));
}
