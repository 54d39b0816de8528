#include "proxy/worker/tunnel.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/client_hellos.h"
#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

struct Setting {
  uint16_t port = 443;
  std::string host = "a.example";
  std::string received = "", greeting = "";
};

// A tunnel with the grant 1.
struct Tunnelled {
  WorkerBench bench;
  std::pair<TcpSocket, FarEnd> client = bench.Connection();
  std::pair<TcpSocket, FarEnd> host = bench.Connection();
  FarEnd& program = client.second;
  FarEnd& server = host.second;

  explicit Tunnelled(const Setting& setting) {
    const Target target{kConnectProtocol, setting.host, setting.port};
    const uint64_t grant = bench.service().broker().Open(target, {});
    bench.Heard();
    Tunnel::Begin(bench.service(), {.client = std::move(client.first),
                                    .place = bench.service().Admit(),
                                    .host = std::move(host.first),
                                    .grant = grant,
                                    .target = target,
                                    .received = setting.received,
                                    .greeting = setting.greeting});
  }
  bool Passes(const std::string& bytes) {
    program.Send(bytes);
    return server.Take(bytes.size()) == bytes;
  }
  // The reason for which the first bytes of the program were refused after the host had spoken, and
  // both sides closed.
  std::string LateRefusal() {
    const std::string refused = bench.Heard();
    CHECK(program.IsReset());
    CHECK(server.Rest().empty());
    const std::string reason = refused.substr(std::string("r connect a.example 8080 ").size());
    CHECK(bench.Heard() == "d 1 - - 0 0 5 " + reason);
    return reason;
  }
  // The reason for which the tunnel was refused, and both sides closed.
  std::string Refusal() {
    const std::string done = bench.Heard();
    const std::string refused = bench.Heard();
    CHECK(program.IsReset());
    CHECK(server.Rest().empty());
    const std::string reason = done.substr(std::string("d 1 - - 0 0 0 ").size());
    CHECK(refused.ends_with(" " + reason));
    return reason;
  }
};

}  // namespace

TEST_CASE("tunnel: at port 443, a handshake that names the host") {
  Tunnelled tunnel({});
  CHECK(tunnel.Passes(ClientHelloFor("a.example")));
  tunnel.server.Send("an answer");
  CHECK(tunnel.program.Take(9) == "an answer");
  tunnel.program.Close();
  tunnel.server.Close();
  CHECK(tunnel.bench.Heard().ends_with(" 9 -"));
}

TEST_CASE("tunnel: a handshake in pieces, and one that has been read already") {
  const std::string hello = ClientHelloFor("a.example");
  SUBCASE("in pieces") {
    Tunnelled tunnel({});
    for (size_t i = 0; i + 1 < hello.size(); i += 20) {
      tunnel.program.Send(std::string_view(hello).substr(i, 20));
      CHECK(tunnel.bench.HearsNothing());
    }
    CHECK(tunnel.server.Take(hello.size()) == hello);
  }
  SUBCASE("read already") {
    Tunnelled tunnel({.received = hello, .greeting = "hello\n"});
    CHECK(tunnel.server.Take(hello.size()) == hello);
    CHECK(tunnel.program.Take(6) == "hello\n");
  }
}

TEST_CASE("tunnel: a refused program is reset once its launcher knows why") {
  Tunnelled tunnel({});
  tunnel.program.Send("GET / HTTP/1.1\r\n\r\n");
  CHECK(tunnel.bench.Heard() == "d 1 - - 0 0 0 what comes to port 443 is not TLS");
  const std::string id = tunnel.bench.Receive().fields.front();
  CHECK(tunnel.bench.HearsNothing());
  CHECK_FALSE(tunnel.program.HasEnded());
  tunnel.bench.Send(WorkerMessage::kNoted, {id});
  CHECK(tunnel.program.IsReset());
}

TEST_CASE("tunnel: at port 443, anything but a handshake for this host is refused") {
  Tunnelled tunnel({});
  SUBCASE("another host") {
    tunnel.program.Send(ClientHelloFor("b.example"));
    CHECK(tunnel.Refusal() == "the TLS handshake names another host: \"b.example\"");
  }
  SUBCASE("no host") {
    tunnel.program.Send(ClientHelloFor(""));
    CHECK(tunnel.Refusal() == "the TLS handshake names no host (SNI)");
  }
  SUBCASE("a hidden host") {
    tunnel.program.Send(ClientHelloFor("a.example", HelloExtension(0xFE0D, "x")));
    CHECK(tunnel.Refusal() == "the TLS handshake hides the name of its host (ECH)");
  }
  SUBCASE("a broken handshake") {
    std::string hello = ClientHelloFor("a.example");
    hello[5] = 2;
    tunnel.program.Send(hello);
    CHECK(tunnel.Refusal().starts_with("the TLS handshake "));
  }
}

TEST_CASE("tunnel: an address needs no name, but may have no other") {
  Tunnelled tunnel({.host = "203.0.113.7"});
  SUBCASE("none") { CHECK(tunnel.Passes(ClientHelloFor(""))); }
  SUBCASE("one") {
    tunnel.program.Send(ClientHelloFor("a.example"));
    CHECK(tunnel.Refusal() == "the TLS handshake names another host: \"a.example\"");
  }
}

TEST_CASE("tunnel: a program that leaves before its handshake") {
  Tunnelled tunnel({});
  SUBCASE("closes") { tunnel.program.HalfClose(); }
  SUBCASE("closes in the middle") {
    tunnel.program.Send(ClientHelloFor("a.example").substr(0, 9));
    tunnel.program.HalfClose();
  }
  SUBCASE("resets") { tunnel.program.Reset(); }
  CHECK(tunnel.bench.Heard() == "d 1 - - 0 0 0 -");
  CHECK(tunnel.server.Rest().empty());
  CHECK(tunnel.bench.HearsNothing());
  CHECK(tunnel.bench.service().connections() == 0);
}

TEST_CASE("tunnel: at other ports, either side may speak first") {
  Tunnelled tunnel({.port = 22});
  SUBCASE("the host") {
    tunnel.server.Send("SSH-2.0-server\r\n");
    CHECK(tunnel.program.Take(16) == "SSH-2.0-server\r\n");
    CHECK(tunnel.Passes("SSH-2.0-client\r\n"));
    CHECK(tunnel.Passes("GET / after that"));
  }
  SUBCASE("the program") { CHECK(tunnel.Passes("SSH-2.0-client\r\n")); }
  SUBCASE("a byte that no protocol begins with") { CHECK(tunnel.Passes(std::string(1, '\0'))); }
  SUBCASE("neither, but the program ends") {
    tunnel.program.HalfClose();
    CHECK(tunnel.server.Rest().empty());
    tunnel.server.Send("a date");
    CHECK(tunnel.program.Take(6) == "a date");
  }
  SUBCASE("neither, but the host ends") {
    tunnel.server.HalfClose();
    CHECK(tunnel.program.Rest().empty());
    CHECK(tunnel.Passes("late"));
  }
}

TEST_CASE("tunnel: at other ports, a handshake may have no name, but not another one") {
  Tunnelled tunnel({.port = 8443});
  SUBCASE("none") { CHECK(tunnel.Passes(ClientHelloFor(""))); }
  SUBCASE("the same") { CHECK(tunnel.Passes(ClientHelloFor("a.example"))); }
  SUBCASE("another") {
    tunnel.program.Send(ClientHelloFor("b.example"));
    CHECK(tunnel.Refusal() == "the TLS handshake names another host: \"b.example\"");
  }
  SUBCASE("another, byte by byte, while the host speaks") {
    const std::string hello = ClientHelloFor("b.example");
    tunnel.program.Send(hello.substr(0, 1));
    CHECK(tunnel.bench.HearsNothing());
    tunnel.server.Send("early");
    tunnel.program.Send(hello.substr(1));
    CHECK(tunnel.Refusal() == "the TLS handshake names another host: \"b.example\"");
  }
}

TEST_CASE("tunnel: a host that speaks first does not keep the program from being looked at") {
  constexpr std::string_view kRequest =
      "the host speaks first, and then the program sends an HTTP request";
  Tunnelled tunnel({.port = 8080});
  tunnel.server.Send("hello");
  CHECK(tunnel.program.Take(5) == "hello");
  SUBCASE("HTTP/2") {
    tunnel.program.Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    CHECK(tunnel.LateRefusal() == kRequest);
  }
  SUBCASE("HTTP/2, byte by byte") {
    for (const char* byte : {"P", "R", "I"}) {
      tunnel.program.Send(byte);
      CHECK(tunnel.bench.HearsNothing());
    }
    CHECK(tunnel.server.TakeAll().empty());
    tunnel.program.Send(" ");
    CHECK(tunnel.LateRefusal() == kRequest);
  }
  SUBCASE("HTTP/1") {
    tunnel.program.Send("GET / HTTP/1.1\r\n\r\n");
    CHECK(tunnel.LateRefusal() == kRequest);
  }
  SUBCASE("HTTP/1 behind an empty line") {
    tunnel.program.Send("\r\nGET / HTTP/1.1\r\n\r\n");
    CHECK(tunnel.LateRefusal() == kRequest);
  }
  SUBCASE("HTTP/1 with another method") {
    tunnel.program.Send("PROPFIND / HTTP/1.1\r\n\r\n");
    CHECK(tunnel.LateRefusal() == kRequest);
  }
  SUBCASE("an empty line") { CHECK(tunnel.Passes("\r\n")); }
  SUBCASE("TLS for another host, in pieces") {
    const std::string hello = ClientHelloFor("b.example");
    tunnel.program.Send(hello.substr(0, 20));
    CHECK(tunnel.bench.HearsNothing());
    tunnel.program.Send(hello.substr(20));
    CHECK(tunnel.LateRefusal() == "the TLS handshake names another host: \"b.example\"");
  }
  SUBCASE("broken TLS") {
    std::string hello = ClientHelloFor("a.example");
    hello[5] = 2;
    tunnel.program.Send(hello);
    CHECK(tunnel.LateRefusal().starts_with("the TLS handshake "));
  }
  SUBCASE("TLS for this host") { CHECK(tunnel.Passes(ClientHelloFor("a.example"))); }
  SUBCASE("another protocol") {
    CHECK(tunnel.Passes("OPTS UTF8 ON\r\n"));
    CHECK(tunnel.Passes("PRI * HTTP/2.0\r\n"));
    tunnel.server.Send("and on");
    CHECK(tunnel.program.Take(6) == "and on");
  }
  SUBCASE("nothing") {
    tunnel.program.HalfClose();
    CHECK(tunnel.server.Rest().empty());
  }
  SUBCASE("half a method") {
    tunnel.program.Send("GE");
    CHECK(tunnel.bench.HearsNothing());
    tunnel.program.HalfClose();
    CHECK(tunnel.server.Rest() == "GE");
  }
  SUBCASE("half a handshake") {
    tunnel.program.Send(ClientHelloFor("a.example").substr(0, 20));
    tunnel.program.HalfClose();
    CHECK(tunnel.bench.Heard() == "d 1 - - 0 0 5 reset");
    CHECK(tunnel.server.Rest().empty());
  }
  SUBCASE("a reset") {
    tunnel.program.Reset();
    CHECK(tunnel.bench.Heard() == "d 1 - - 0 0 5 reset");
  }
}

TEST_CASE("tunnel: half a handshake does not pass at any port") {
  for (const uint16_t port : {uint16_t{80}, uint16_t{8443}}) {
    CAPTURE(port);
    Tunnelled tunnel({.port = port});
    tunnel.program.Send(ClientHelloFor("a.example").substr(0, 20));
    CHECK(tunnel.bench.HearsNothing());
    tunnel.program.HalfClose();
    CHECK(tunnel.bench.Heard() == "d 1 - - 0 0 0 -");
    CHECK(tunnel.server.Rest().empty());
  }
}

TEST_CASE("tunnel: at port 80, a handshake must name the host as well") {
  Tunnelled tunnel({.port = 80});
  SUBCASE("none") {
    tunnel.program.Send(ClientHelloFor(""));
    CHECK(tunnel.Refusal() == "the TLS handshake names no host (SNI)");
  }
  SUBCASE("the same") { CHECK(tunnel.Passes(ClientHelloFor("a.example"))); }
}

TEST_CASE("tunnel: at other ports, plain HTTP is read as such") {
  Tunnelled tunnel({.port = 8080});
  SUBCASE("for this host") {
    tunnel.program.Send("GET /a HTTP/1.1\r\nHost: a.example:8080\r\n\r\n");
    const std::string head = "GET /a HTTP/1.1\r\nHost: a.example:8080\r\n\r\n";
    CHECK(tunnel.server.Take(head.size()) == head);
    tunnel.server.Send("HTTP/1.1 204 No Content\r\n\r\n");
    CHECK(tunnel.program.Take(12) == "HTTP/1.1 204");
    CHECK(tunnel.bench.Heard() == "d 1 GET /a 204 41 27 -");
  }
  SUBCASE("for another host") {
    tunnel.program.Send("GET / HTTP/1.1\r\nHost: b.example:8080\r\n\r\n");
    CHECK(tunnel.program.Rest().starts_with("HTTP/1.1 421 "));
    CHECK(tunnel.server.Rest().empty());
  }
  SUBCASE("an empty line alone") { CHECK(tunnel.Passes("\r\n")); }
  SUBCASE("behind an empty line") {
    tunnel.program.Send("\r\nG");
    CHECK(tunnel.bench.HearsNothing());
    tunnel.program.Send("ET / HTTP/1.1\r\nHost: b.example:8080\r\n\r\n");
    CHECK(tunnel.program.Rest().starts_with("HTTP/1.1 4"));
    CHECK(tunnel.server.Rest().empty());
  }
  SUBCASE("for another host, a byte after the other") {
    const std::string head = "GET / HTTP/1.1\r\nHost: b.example:8080\r\n\r\n";
    for (const char& byte : head) {
      tunnel.program.Send({&byte, 1});
      tunnel.bench.HearsNothing();
    }
    CHECK(tunnel.program.Rest().starts_with("HTTP/1.1 421 "));
    CHECK(tunnel.server.Rest().empty());
  }
}

TEST_CASE("tunnel: at port 80, everything is read as HTTP") {
  Tunnelled tunnel({.port = 80});
  tunnel.server.Send("an answer to nothing");
  SUBCASE("for this host") {
    tunnel.program.Send("REPORT / HTTP/1.1\r\nHost: a.example\r\n\r\n");
    CHECK(tunnel.server.Take(6) == "REPORT");
  }
  SUBCASE("for another host") {
    tunnel.program.Send("REPORT / HTTP/1.1\r\nHost: b.example\r\n\r\n");
    CHECK(tunnel.program.Rest().starts_with("HTTP/1.1 421 "));
  }
  SUBCASE("an empty line first") {
    tunnel.program.Send("\r\n");
    tunnel.program.Send("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n");
    CHECK(tunnel.program.Rest().starts_with("HTTP/1.1 4"));
  }
}

TEST_CASE("tunnel: two bytes that may begin a request wait for a third, or for the host") {
  for (const bool is_read : {false, true}) {
    CAPTURE(is_read);
    Tunnelled tunnel({.port = 8080, .received = is_read ? "PO" : ""});
    if (!is_read) tunnel.program.Send("PO");
    CHECK(tunnel.bench.HearsNothing());
    SUBCASE("another protocol") {
      tunnel.program.Send("NG");
      CHECK(tunnel.server.Take(4) == "PONG");
    }
    SUBCASE("the host speaks") {
      tunnel.server.Send("what?");
      CHECK(tunnel.program.Take(5) == "what?");
      tunnel.program.Send("NG");
      CHECK(tunnel.server.Take(4) == "PONG");
    }
    SUBCASE("the end") {
      tunnel.program.HalfClose();
      CHECK(tunnel.server.Rest() == "PO");
    }
  }
}

TEST_CASE("tunnel: a greeting that cannot be sent, and one that ends early") {
  WorkerBench bench;
  auto [client, program] = bench.Connection();
  auto [host, server] = bench.Connection();
  const Target target{kSocksProtocol, "a.example", 22};
  const uint64_t grant = bench.service().broker().Open(target, {});
  CHECK(bench.Heard() == "o 1 socks5 a.example 22");
  client.shutdown(boost::asio::ip::tcp::socket::shutdown_send);
  Tunnel::Begin(bench.service(), {.client = std::move(client),
                                  .place = bench.service().Admit(),
                                  .host = std::move(host),
                                  .grant = grant,
                                  .target = target,
                                  .greeting = "hello"});
  CHECK(bench.Heard() == "d 1 - - 0 0 0 -");
  CHECK(server.Rest().empty());
}

TEST_CASE("tunnel: idle tunnels are ended") {
  Tunnelled tunnel({});
  tunnel.bench.service().DropIdle(INT64_MAX);
  CHECK(tunnel.bench.Heard() == "d 1 - - 0 0 0 closed, as it was idle");
  CHECK(tunnel.program.IsReset());
  tunnel.bench.service().DropIdle(INT64_MAX);
  CHECK(tunnel.bench.HearsNothing());
}

TEST_CASE("tunnel: what looks like HTTP") {
  for (const char* begin : {"GET", "GET /", "HEAD ", "POS", "CONNECT a", "PRI * HTTP/2.0",
                            "\r\nGET", "\n\nPOST /", "PROPFIND / HTTP/1.1\r\n", "x HTTP/1.0\n"}) {
    CHECK_MESSAGE(LooksLikeHttp(begin), begin);
  }
  for (const char* begin : {"", "G", "GE", "get /", "GETS ", "SSH-2.0", "PONG", "\r\n", "\r\nGE",
                            "PROPFIND / HTTP/1.1", "PLAY / RTSP/1.0\r\n"}) {
    CHECK_MESSAGE(!LooksLikeHttp(begin), begin);
  }
}
