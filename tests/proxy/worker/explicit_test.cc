#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "proxy/worker/ingress.h"
#include "tests/support/wire_bytes.h"
#include "tests/support/worker_bench.h"

using namespace ringfence;

namespace {

struct Explicit {
  WorkerBench bench;
  std::pair<TcpSocket, FarEnd> client = bench.Connection();
  FarEnd& program = client.second;

  explicit Explicit(std::string_view password = "") : bench(password) {
    AcceptExplicit(bench.service(), std::move(client.first));
  }
  // Sends, and takes as many bytes as these digits have.
  bool Replies(std::string_view bytes, std::string_view digits) {
    program.Send(bytes);
    const std::string reply = FromHex(digits);
    return program.Take(reply.size()) == reply;
  }
  // Sends what is refused, and returns the report. The reply, and then the end, come after it.
  std::string Refusal(std::string_view bytes, std::string_view digits) {
    program.Send(bytes);
    const std::string report = bench.Heard();
    const std::string reply = FromHex(digits);
    CHECK(program.Take(reply.size()) == reply);
    return report;
  }
};

const std::string kNoLogin = FromHex("05 01 00");
const std::string kWithLogin = FromHex("05 01 02");
const std::string kToForge = FromHex("05 01 00 03") + Sized("a.example", 1) + BigEndian(22, 2);
constexpr std::string_view kSuccess = "05 00 00 01 00000000 0000";

std::string Login(std::string_view user, std::string_view password) {
  return FromHex("01") + Sized(user, 1) + Sized(password, 1);
}

}  // namespace

TEST_CASE("explicit: SOCKS5 to a host") {
  Explicit proxy;
  REQUIRE(proxy.Replies(kNoLogin, "05 00"));
  proxy.program.Send(kToForge.substr(0, 6));
  CHECK(proxy.bench.HearsNothing());
  proxy.program.Send(kToForge.substr(6));
  CHECK(proxy.bench.Heard() == "o 1 socks5 a.example 22");
  FarEnd server = proxy.bench.Grant(1);
  CHECK(proxy.program.Take(10) == FromHex(kSuccess));
  server.Send("hello");
  CHECK(proxy.program.Take(5) == "hello");
  proxy.program.Close();
  server.Close();
  CHECK(proxy.bench.Heard() == "d 1 - - 0 0 5 -");
}

TEST_CASE("explicit: a program of SOCKS5 that has gone frees its place before the answer") {
  Explicit proxy;
  proxy.program.Send(kNoLogin + kToForge);
  CHECK(proxy.bench.Heard() == "o 1 socks5 a.example 22");
  SUBCASE("closed") {
    proxy.program.Close();
    proxy.bench.service().DropIdle(INT64_MAX);
    CHECK(proxy.bench.Heard() == "d 1 - - 0 0 0 the client closed the connection");
  }
  SUBCASE("idle") {
    proxy.bench.service().DropIdle(INT64_MAX);
    CHECK(proxy.bench.Heard() == "d 1 - - 0 0 0 closed, as it was idle");
  }
}

TEST_CASE("explicit: everything of SOCKS5 in one packet") {
  Explicit proxy;
  proxy.program.Send(kNoLogin + kToForge + "SSH-2.0-x\r\n");
  CHECK(proxy.bench.Heard() == "o 1 socks5 a.example 22");
  FarEnd server = proxy.bench.Grant(1);
  CHECK(server.Take(11) == "SSH-2.0-x\r\n");
  CHECK(proxy.program.Take(12) == FromHex("05 00") + FromHex(kSuccess));
}

TEST_CASE("explicit: SOCKS5 with a login") {
  Explicit proxy("secret");
  REQUIRE(proxy.Replies(FromHex("05 02 00 02"), "05 02"));
  proxy.program.Send(FromHex("01"));
  CHECK(proxy.bench.HearsNothing());
  REQUIRE(proxy.Replies(Login("ringfence", "secret").substr(1), "01 00"));
  proxy.program.Send(kToForge);
  CHECK(proxy.bench.Heard() == "o 1 socks5 a.example 22");
}

TEST_CASE("explicit: SOCKS5 without the right login") {
  Explicit proxy("secret");
  SUBCASE("wrong") {
    REQUIRE(proxy.Replies(kWithLogin, "05 02"));
    CHECK(proxy.Refusal(Login("ringfence", "guess"), "01 01") ==
          "r socks5 - 0 the SOCKS request has a wrong user name or password");
  }
  SUBCASE("of another form") {
    REQUIRE(proxy.Replies(kWithLogin, "05 02"));
    CHECK(proxy.Refusal("GET /", "01 01") ==
          "r socks5 - 0 the SOCKS request has a wrong user name or password");
  }
  SUBCASE("none") {
    CHECK(proxy.Refusal(kNoLogin, "05 FF") ==
          "r socks5 - 0 the SOCKS request offers no method of authentication that fits");
  }
  CHECK(proxy.program.Rest().empty());
}

TEST_CASE("explicit: a program that insists on a login where there is none") {
  Explicit proxy;
  CHECK(proxy.Refusal(kWithLogin, "05 FF") ==
        "r socks5 - 0 the SOCKS request offers no method of authentication that fits");
  CHECK(proxy.program.Rest().empty());
}

TEST_CASE("explicit: SOCKS5 of a wrong form") {
  Explicit proxy;
  SUBCASE("a greeting without methods") {
    proxy.program.Send(FromHex("05 00"));
    CHECK(proxy.bench.Heard().starts_with("r socks5 - 0 the SOCKS request "));
    CHECK(proxy.program.IsReset());
  }
  SUBCASE("a command other than CONNECT") {
    REQUIRE(proxy.Replies(kNoLogin, "05 00"));
    const std::string bind = FromHex("05 02 00 01 7f000001 0050");
    CHECK(proxy.Refusal(bind, "05 07 00 01 00000000 0000")
              .starts_with("r socks5 - 0 the SOCKS request "));
    CHECK(proxy.program.Rest().empty());
  }
}

TEST_CASE("explicit: the reply of SOCKS5 to each kind of denial") {
  struct Row {
    DenialKind kind;
    std::string_view code;
  };
  constexpr Row kRows[] = {{DenialKind::kPolicy, "02"},      {DenialKind::kNoAddress, "04"},
                           {DenialKind::kUnreachable, "05"}, {DenialKind::kUpstream, "01"},
                           {DenialKind::kBusy, "01"},        {static_cast<DenialKind>('?'), "01"}};
  for (const Row& row : kRows) {
    Explicit proxy;
    REQUIRE(proxy.Replies(kNoLogin, "05 00"));
    proxy.program.Send(kToForge);
    CHECK(proxy.bench.Heard() == "o 1 socks5 a.example 22");
    proxy.bench.Deny(1, row.kind, "no");
    CHECK(proxy.program.Rest() == FromHex("05 " + std::string(row.code) + " 00 01 00000000 0000"));
  }
}

TEST_CASE("explicit: programs that leave before they ask") {
  Explicit proxy;
  SUBCASE("at once") { proxy.program.HalfClose(); }
  SUBCASE("in the greeting") {
    proxy.program.Send(FromHex("05"));
    proxy.program.HalfClose();
  }
  SUBCASE("with a reset") {
    proxy.program.Send(FromHex("05"));
    CHECK(proxy.bench.HearsNothing());
    proxy.program.Reset();
  }
  CHECK(RunUntil(proxy.bench.io(), [&] { return proxy.bench.service().connections() == 0; }));
  CHECK(proxy.bench.HearsNothing());
}

TEST_CASE("explicit: HTTP") {
  Explicit proxy;
  proxy.program.Send("CONNECT a.example:22 HTTP/1.1\r\nHost: a.example:22\r\n\r\n");
  CHECK(proxy.bench.Heard() == "o 1 connect a.example 22");
}

TEST_CASE("explicit: a connection too many gets the reason") {
  WorkerBench bench;
  std::vector<std::shared_ptr<void>> places;
  while (std::shared_ptr<void> place = bench.service().Admit()) places.push_back(place);
  auto [client, program] = bench.Connection();
  AcceptExplicit(bench.service(), std::move(client));
  CHECK(bench.Heard() == "r connect - 0 the session has too many connections");
  CHECK(program.Rest().starts_with("HTTP/1.1 503 "));
}
