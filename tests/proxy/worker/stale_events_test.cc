// An event of a socket that has been closed can reach the one that is watched next: the loop keeps
// what it knows of a socket in objects that it uses again.
#include <doctest/doctest.h>

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <string>
#include <utility>

#include "proxy/worker/ingress.h"
#include "proxy/worker/tunnel.h"
#include "tests/support/wire_bytes.h"
#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

// Two sockets that become readable at once. The first handler closes the other socket, whose event
// is due by then.
class ClosingPair {
 public:
  // `next` is called in that handler: the first socket that it lets the loop watch gets the event.
  ClosingPair(boost::asio::io_context& io, std::function<void()> next)
      : next_(std::move(next)), sockets_{Socket(io), Socket(io)}, far_{Socket(io), Socket(io)} {
    for (size_t i = 0; i < 2; ++i) boost::asio::local::connect_pair(sockets_[i], far_[i]);
    for (size_t i = 0; i < 2; ++i) {
      sockets_[i].async_wait(Socket::wait_read, [this, i](const boost::system::error_code& error) {
        if (error) return;
        sockets_[1 - i].close();
        std::exchange(next_, [] {})();
      });
    }
    io.poll();
    for (Socket& far : far_) far.send(boost::asio::buffer("x", 1));
    io.restart();
    while (io.poll() > 0) io.restart();
  }

 private:
  using Socket = boost::asio::local::stream_protocol::socket;
  std::function<void()> next_;
  Socket sockets_[2], far_[2];
};

}  // namespace

TEST_CASE("stale events: a host that has said nothing does not speak first") {
  WorkerBench bench;
  auto [client, program] = bench.Connection();
  TcpPair host = MakeTcpPair();
  const FarEnd server(bench.io(), std::move(host.other));
  const Target target{kConnectProtocol, "a.example", 8080};
  const uint64_t grant = bench.service().broker().Open(target, {});
  CHECK(bench.Heard() == "o 1 connect a.example 8080");
  const ClosingPair pair(bench.io(), [&, &client = client] {
    Tunnel::Begin(bench.service(), {.client = std::move(client),
                                    .place = bench.service().Admit(),
                                    .host = bench.service().Adopt(std::move(host.own)),
                                    .grant = grant,
                                    .target = target,
                                    .received = "",
                                    .greeting = ""});
  });
  program.Send("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n");
  CHECK(program.Rest().starts_with("HTTP/1.1 421 "));
}

TEST_CASE("stale events: a program that has sent nothing yet is served") {
  WorkerBench bench;
  TcpPair pair = MakeTcpPair();
  FarEnd program(bench.io(), std::move(pair.other));
  const ClosingPair closing(bench.io(), [&] {
    AcceptExplicit(bench.service(), bench.service().Adopt(std::move(pair.own)));
  });
  program.Send(FromHex("05 01 00"));
  CHECK(program.Take(2) == FromHex("05 00"));
}
