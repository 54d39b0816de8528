#include <doctest/doctest.h>

#include <string>

#include "proxy/wire/http_request.h"
#include "tests/support/request_plans.h"

using namespace ringfence;
using namespace std::literals;

namespace {

// A request with these header lines after Host.
std::string Get(std::string_view lines) {
  return "GET http://h/ HTTP/1.1\r\nHost: h\r\n" + std::string(lines) + "\r\n";
}

// The header lines that the host receives after Host, or why the request is refused.
std::string LinesOf(std::string_view bytes) {
  constexpr std::string_view kStart = "GET / HTTP/1.1\r\nHost: h\r\n";
  RequestPlan plan;
  WireError error;
  if (!PlanBytes(bytes, {}, plan, error)) return std::to_string(error.status) + " " + error.reason;
  CHECK(IsReadAlike(plan));
  REQUIRE(plan.head.starts_with(kStart));
  REQUIRE(plan.head.ends_with("\r\n\r\n"));
  return plan.head.substr(kStart.size(), plan.head.size() - kStart.size() - 2);
}

constexpr std::string_view kNamesKept =
    "400 has a Connection header that names a header for the host";
constexpr std::string_view kNotList = "400 has a Connection header that is not a list";
constexpr std::string_view kOtherUpgrade = "400 asks for an upgrade other than websocket";
constexpr std::string_view kWrongUpgrade = "400 asks for a websocket in a wrong way";
constexpr std::string_view kExpectation = "417 expects something other than 100-continue";

}  // namespace

TEST_CASE("http request: the head for the host is rewritten") {
  RequestPlan plan;
  WireError error;
  REQUIRE(
      PlanBytes("POST http://H.Example.:8080?q HTTP/1.0\r\nA:1\r\nhost: h.example:8080\r\n"
                "content-length: \t007\r\nb: \t\xFF x \r\nEmpty:\r\nA: 2\r\n\r\nrest",
                {}, plan, error));
  CHECK(plan.head ==
        "POST /?q HTTP/1.1\r\nHost: h.example:8080\r\nA: 1\r\nb: \xFF x\r\nEmpty: \r\nA: 2\r\n"
        "Content-Length: 7\r\nConnection: close\r\n\r\n");
  CHECK(plan.kind == RequestPlan::Kind::kForward);
  CHECK(plan.path == "/");
  CHECK(IsReadAlike(plan));
}

TEST_CASE("http request: headers for one hop are left out, and what is needed is written again") {
  struct Row {
    std::string_view name;
    std::string_view lines, want;
  };
  static constexpr Row kRows[] = {
      {"nothing", "", ""},
      {"others", "A: b\r\nVia: 1.1 x\r\nProxy: x\r\n", "A: b\r\nVia: 1.1 x\r\nProxy: x\r\n"},
      {"close", "Connection: close\r\n", "Connection: close\r\n"},
      {"close in any list", "connection: TE , ,Close,\r\n", "Connection: close\r\n"},
      {"close in the second header", "Connection: x\r\nCONNECTION: close\r\n",
       "Connection: close\r\n"},
      {"close for the proxy", "Proxy-Connection: close\r\n", "Connection: close\r\n"},
      {"keep-alive", "Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n", ""},
      {"Proxy-*",
       "Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\nproxy-x: y\r\n", ""},
      {"TE and Trailer", "TE: trailers\r\nTrailer: X-Sum\r\n", ""},
      {"named headers", "X-A: 1\r\nConnection: x-a, X-B\r\nX-B: 2\r\nX-C: 3\r\n", "X-C: 3\r\n"},
      {"no element", "Connection: ,, ,\r\n", ""},
      {"an empty Connection", "Connection:\r\n", ""},
      {"Host", "Connection: close, Host\r\n", kNamesKept},
      {"Content-Length", "Connection: content-length\r\nContent-Length: 5\r\n", kNamesKept},
      {"Transfer-Encoding", "Connection: Transfer-Encoding\r\n", kNamesKept},
      {"Authorization", "Connection: authorization\r\nAuthorization: x\r\n", kNamesKept},
      {"Cookie", "Connection: a,b,cookie\r\n", kNamesKept},
      {"not a token", "Connection: close; x\r\n", kNotList},
      {"a list in quotes", "Connection: \"close\"\r\n", kNotList},
      {"a byte beyond ASCII", "Connection: clos\xE9\r\n", kNotList},

      {"a length", "Content-Length: 5\r\nA: b\r\n", "A: b\r\nContent-Length: 5\r\n"},
      {"chunks", "transfer-encoding: CHUNKED\r\nA: b\r\n",
       "A: b\r\nTransfer-Encoding: chunked\r\n"},
      {"CL.TE", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
       "400 has Content-Length and Transfer-Encoding headers"},

      {"a websocket", "Upgrade: WebSocket\r\nConnection: keep-alive, upgrade\r\n",
       "Connection: Upgrade\r\nUpgrade: websocket\r\n"},
      {"a websocket, then close", "Upgrade: websocket\r\nConnection: close, upgrade\r\n",
       "Connection: close\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"},
      {"a websocket and an empty body",
       "Upgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 0\r\n",
       "Content-Length: 0\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"},
      {"an offer of HTTP/2",
       "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk\r\n", ""},
      {"settings without an offer", "HTTP2-Settings: AAMAAABk\r\n", ""},
      {"upgrade without Upgrade", "Connection: upgrade\r\n", ""},
      {"Upgrade without Connection", "Upgrade: websocket\r\n", kWrongUpgrade},
      {"Upgrade with another option", "Upgrade: websocket\r\nConnection: x\r\n", kWrongUpgrade},
      {"a websocket with a body",
       "Upgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 5\r\n", kWrongUpgrade},
      {"a websocket with chunks",
       "Upgrade: websocket\r\nConnection: upgrade\r\nTransfer-Encoding: chunked\r\n",
       kWrongUpgrade},
      {"a websocket or HTTP/2", "Upgrade: websocket, h2c\r\nConnection: upgrade\r\n",
       kOtherUpgrade},
      {"two upgrades", "Upgrade: websocket\r\nUpgrade: h2c\r\nConnection: upgrade\r\n",
       kOtherUpgrade},
      {"two offers of HTTP/2", "Upgrade: h2c\r\nUpgrade: h2c\r\n", kOtherUpgrade},
      {"h2", "Upgrade: h2\r\nConnection: upgrade\r\n", kOtherUpgrade},
      {"TLS", "Upgrade: TLS/1.0\r\nConnection: upgrade\r\n", kOtherUpgrade},
      {"a version", "Upgrade: websocket/13\r\nConnection: upgrade\r\n", kOtherUpgrade},
      {"an empty upgrade", "Upgrade:\r\nConnection: upgrade\r\n", kOtherUpgrade},

      {"Expect", "Expect: 100-Continue\r\nContent-Length: 5\r\n",
       "Expect: 100-continue\r\nContent-Length: 5\r\n"},
      {"Expect with chunks", "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n",
       "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n"},
      {"Expect without a body", "Expect: 100-continue\r\n", ""},
      {"Expect with an empty body", "Expect: 100-continue\r\nContent-Length: 0\r\n",
       "Content-Length: 0\r\n"},
      {"another expectation", "Expect: 200-ok\r\nContent-Length: 5\r\n", kExpectation},
      {"an obfuscated expectation", "Expect: y 100-continue\r\nContent-Length: 5\r\n",
       kExpectation},
      {"two expectations", "Expect: 100-continue\r\nExpect: 100-continue\r\n", kExpectation},
      {"Connection names Expect", "Connection: Expect\r\nExpect: 100-continue\r\n", kNamesKept},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(LinesOf(Get(row.lines)) == row.want);
  }
}

TEST_CASE("http request: a websocket needs GET and HTTP/1.1") {
  const std::string lines = "Host: h\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n";
  CHECK(PlannedText("GET http://h/ HTTP/1.1\r\n" + lines) == "GET h 80 / upgrade");
  CHECK(PlannedText("POST http://h/ HTTP/1.1\r\n" + lines) == kWrongUpgrade);
  CHECK(PlannedText("GET http://h/ HTTP/1.0\r\n" + lines) == kWrongUpgrade);
}

TEST_CASE("http request: HTTP/1.0 closes the connection and expects nothing") {
  CHECK(PlannedText("POST http://h/ HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 5\r\n"
                    "Expect: 100-continue\r\n\r\n") == "POST h 80 / 5 close");
}

TEST_CASE("http request: the logged path has no query and at most 1 KB") {
  RequestPlan plan;
  WireError error;
  const std::string path = "/" + std::string(2000, 'x');
  REQUIRE(PlanBytes("GET http://h" + path + " HTTP/1.1\r\nHost: h\r\n\r\n", {}, plan, error));
  CHECK(plan.path == path.substr(0, 1024));
  CHECK(plan.head.starts_with("GET " + path + " HTTP/1.1\r\n"));
  REQUIRE(PlanBytes("GET http://h/a?b?c/d HTTP/1.1\r\nHost: h\r\n\r\n", {}, plan, error));
  CHECK(plan.path == "/a");
  CHECK(plan.head.starts_with("GET /a?b?c/d HTTP/1.1\r\n"));
}

TEST_CASE("http request: one that is idempotent and has no body may be repeated") {
  struct Row {
    std::string_view method, length;
    bool may_repeat;
  };
  constexpr Row kRows[] = {
      {"GET", "", true},     {"HEAD", "", true},     {"OPTIONS", "", true},
      {"PUT", "", true},     {"DELETE", "", true},   {"PUT", "Content-Length: 0\r\n", true},
      {"POST", "", false},   {"PATCH", "", false},   {"PUT", "Content-Length: 1\r\n", false},
      {"REPORT", "", false}, {"CONNECT", "", false},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.method);
    CAPTURE(row.length);
    const std::string target = row.method == "CONNECT" ? "a.example:80" : "http://a.example/";
    const std::string text = std::string(row.method) + " " + target +
                             " HTTP/1.1\r\nHost: a.example:80\r\n" + std::string(row.length) +
                             "\r\n";
    RequestPlan plan;
    WireError error;
    REQUIRE(PlanBytes(text, {}, plan, error));
    CHECK(plan.may_repeat == row.may_repeat);
  }
}

TEST_CASE("http request: the proxy asks for its credential before anything else") {
  const RequestSource source{
      .kind = RequestSource::Kind::kExplicit, .host = {}, .port = 80, .credential = "Basic eDp5"};
  const auto with = [&](std::string_view lines) { return PlannedText(Get(lines), source); };
  constexpr std::string_view kMissing = "407 lacks the credential of this proxy";
  constexpr std::string_view kWrong = "407 has a wrong user name or password";
  CHECK(with("Proxy-Authorization: Basic eDp5\r\n") == "GET h 80 /");
  CHECK(with("proxy-authorization:Basic eDp5 \r\n") == "GET h 80 /");
  CHECK(with("Proxy-Authorization: bASIC eDp5\r\n") == "GET h 80 /");
  CHECK(with("") == kMissing);
  CHECK(with("Authorization: Basic eDp5\r\n") == kMissing);
  CHECK(PlannedText("TRACE / HTTP/1.1\r\n\r\n", source) == kMissing);
  for (const char* wrong : {"", " Basic eDp6", " Basic edp5", " Basic eDp5eDp5", " Basic eDp",
                            " Bearer eDp5", " Token eDp5", " eDp5"}) {
    CAPTURE(wrong);
    CHECK(with("Proxy-Authorization:" + std::string(wrong) + "\r\n") == kWrong);
  }
  CHECK(with("Proxy-Authorization: Basic eDp5\r\nProxy-Authorization: Basic eDp5\r\n") == kWrong);
  CHECK(PlannedText("CONNECT h:443 HTTP/1.0\r\nProxy-Authorization: Basic eDp5\r\n\r\n", source) ==
        "CONNECT h 443 close");
  RequestSource transparent = source;
  transparent.kind = RequestSource::Kind::kTransparent;
  transparent.host = "h";
  CHECK(PlannedText("GET / HTTP/1.1\r\nHost: h\r\n\r\n", transparent) == "GET h 80 /");
}

TEST_CASE("http request: port 443 is for tunnels") {
  constexpr std::string_view kRefused = "400 is plain HTTP for port 443, which expects TLS";
  CHECK(PlannedText("GET http://h:443/ HTTP/1.1\r\nHost: h:443\r\n\r\n") == kRefused);
  CHECK(PlannedText("GET http://h:443/ HTTP/1.1\r\nHost: h:443\r\nConnection: Upgrade\r\n"
                    "Upgrade: websocket\r\n\r\n") == kRefused);
  CHECK(PlannedText("GET http://h:444/ HTTP/1.1\r\nHost: h:444\r\n\r\n") == "GET h 444 /");
  CHECK(PlannedText("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n") == "CONNECT h 443");
}

TEST_CASE("http request: a refusal says for which host it was, if that was read") {
  RequestPlan plan;
  WireError error;
  SUBCASE("read") {
    CHECK_FALSE(PlanBytes("GET http://h:81/ HTTP/1.1\r\nHost: x\r\n\r\n", {}, plan, error));
    CHECK(plan.host == "h");
    CHECK(plan.port == 81);
  }
  SUBCASE("not read") {
    CHECK_FALSE(PlanBytes("GET / HTTP/1.1\r\nHost: h\r\n\r\n", {}, plan, error));
    CHECK(plan.host.empty());
    CHECK(plan.port == 0);
  }
  CHECK(plan.head.empty());
}
