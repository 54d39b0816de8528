#include <doctest/doctest.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "proxy/worker/ingress.h"
#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

// A connection whose own end the program took for this address; it goes nowhere.
std::optional<TcpSocket> SocketAt(WorkerBench& bench, const char* address, uint16_t port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  constexpr int kOn = 1;
  REQUIRE(::setsockopt(socket.get(), IPPROTO_IP, IP_FREEBIND, &kOn, sizeof kOn) == 0);
  REQUIRE(::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &kOn, sizeof kOn) == 0);
  sockaddr_in at = LoopbackAddress(port);
  REQUIRE(::inet_pton(AF_INET, address, &at.sin_addr) == 1);
  if (::bind(socket.get(), SocketAddress(at), sizeof at) != 0) {
    REQUIRE(errno == EACCES);  // a low port
    return std::nullopt;
  }
  return bench.service().Adopt(std::move(socket));
}

struct Accepted {
  WorkerBench bench;
  NameMap names;
  std::pair<TcpSocket, FarEnd> client = bench.Connection();
  FarEnd& program = client.second;
  std::string port = std::to_string(client.first.local_endpoint().port());

  void Accept() { AcceptTransparent(bench.service(), names, std::move(client.first)); }
};

}  // namespace

TEST_CASE("transparent: an address of no name counts as itself") {
  Accepted accepted;
  accepted.Accept();
  CHECK(accepted.bench.Heard() == "o 1 tcp 127.0.0.1 " + accepted.port);
  FarEnd server = accepted.bench.Grant(1);
  accepted.program.Send("SSH-2.0-x\r\n");
  CHECK(server.Take(11) == "SSH-2.0-x\r\n");
  server.Send("and back");
  CHECK(accepted.program.Take(8) == "and back");
}

TEST_CASE("transparent: a program that has gone frees its place before the answer") {
  Accepted accepted;
  accepted.Accept();
  CHECK(accepted.bench.Heard().starts_with("o 1 tcp "));
  SUBCASE("closed") {
    accepted.program.Close();
    accepted.bench.service().DropIdle(INT64_MAX);
    CHECK(accepted.bench.Heard() == "d 1 - - 0 0 0 the client closed the connection");
  }
  SUBCASE("idle") {
    accepted.bench.service().DropIdle(INT64_MAX);
    CHECK(accepted.bench.Heard() == "d 1 - - 0 0 0 closed, as it was idle");
    CHECK(accepted.program.Rest().empty());
  }
  accepted.bench.service().DropIdle(INT64_MAX);  // it is gone
  CHECK(accepted.bench.HearsNothing());
}

TEST_CASE("transparent: an IPv6 address") {
  WorkerBench bench;
  const NameMap names;
  UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in6 at{};
  at.sin6_family = AF_INET6;
  at.sin6_port = htons(4000);
  constexpr int kOn = 1;
  REQUIRE(::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_FREEBIND, &kOn, sizeof kOn) == 0);
  REQUIRE(::inet_pton(AF_INET6, "2001:db8::5", &at.sin6_addr) == 1);
  REQUIRE(::bind(socket.get(), SocketAddress(at), sizeof at) == 0);
  AcceptTransparent(bench.service(), names, bench.service().Adopt(std::move(socket)));
  CHECK(bench.Heard() == "o 1 tcp [2001:db8::5] 4000");
}

TEST_CASE("transparent: the address of a name stands for the name") {
  WorkerBench bench;
  NameMap names;
  REQUIRE(names.AddressOf("a.example"));
  const char* const address = "198.18.1.0";
  std::optional<TcpSocket> client = SocketAt(bench, address, 4001);
  REQUIRE(client);
  AcceptTransparent(bench.service(), names, std::move(*client));
  CHECK(bench.Heard() == "o 1 tcp a.example 4001");
  if (std::optional<TcpSocket> https = SocketAt(bench, address, 443)) {
    AcceptTransparent(bench.service(), names, std::move(*https));
    CHECK(bench.Heard() == "o 2 tls a.example 443");
    bench.Deny(2, DenialKind::kPolicy, "no");
    CHECK(RunUntil(bench.io(), [&] { return bench.service().connections() == 1; }));
  }
}

TEST_CASE("transparent: an address that was not handed out") {
  WorkerBench bench;
  const NameMap names;
  std::optional<TcpSocket> client = SocketAt(bench, "198.18.1.0", 4001);
  REQUIRE(client);
  AcceptTransparent(bench.service(), names, std::move(*client));
  CHECK(bench.Heard() == "r tcp 198.18.1.0 4001 no name has this address; look the name up again");
  CHECK(RunUntil(bench.io(), [&] { return bench.service().connections() == 0; }));
}

TEST_CASE("transparent: a connection that is none any more") {
  WorkerBench bench;
  const NameMap names;
  AcceptTransparent(bench.service(), names, TcpSocket(bench.io()));
  CHECK(bench.Heard() == "r tcp - 0 no name has this address; look the name up again");
}

TEST_CASE("transparent: at port 80, the broker is asked before the program speaks") {
  WorkerBench bench;
  NameMap names;
  REQUIRE(names.AddressOf("a.example"));
  std::optional<TcpSocket> client = SocketAt(bench, "198.18.1.0", 80);
  if (!client) return;
  AcceptTransparent(bench.service(), names, std::move(*client));
  CHECK(bench.Heard() == "o 1 http a.example 80");
}

TEST_CASE("transparent: a refused program that speaks HTTP gets the reason") {
  Accepted accepted;
  accepted.Accept();
  accepted.bench.Deny(1, DenialKind::kUnreachable, "it cannot be reached");
  accepted.program.Send("GET / HTTP/1.1\r\n\r\n");
  const std::string reply = accepted.program.Rest();
  CHECK(reply.starts_with("HTTP/1.1 502 "));
  CHECK(reply.ends_with("\r\n\r\nringfence: it cannot be reached\n"));
}

TEST_CASE("transparent: any other refused program is reset") {
  Accepted accepted;
  accepted.Accept();
  accepted.bench.Deny(1, DenialKind::kPolicy, "no");
  SUBCASE("speaks another protocol") { accepted.program.Send("SSH-2.0-x\r\n"); }
  SUBCASE("ends") { accepted.program.HalfClose(); }
  SUBCASE("says nothing") {}
  CHECK(accepted.program.IsReset());
}

TEST_CASE("transparent: a connection too many is reset") {
  Accepted accepted;
  std::vector<std::shared_ptr<void>> places;
  while (std::shared_ptr<void> place = accepted.bench.service().Admit()) places.push_back(place);
  accepted.Accept();
  CHECK(accepted.bench.Heard() ==
        "r tcp 127.0.0.1 " + accepted.port + " the session has too many connections");
  CHECK(accepted.program.IsReset());
}
