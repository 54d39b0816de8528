#include "proxy/worker/http_exchange.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/proxy/worker/exchange_bench.h"
#include "tests/support/full_watches.h"

using namespace ringfence;

TEST_CASE("http exchange: a request is rewritten, and its response passed on") {
  Exchange http;
  http.program.Send("GET http://a.example/p?q=1 HTTP/1.1\r\nHost: a.example\r\nProxy-X: 1\r\n\r\n");
  CHECK(http.bench.Heard() == "o 1 http a.example 80");
  FarEnd host = http.bench.Grant(1);
  CHECK(http.Passes(host, "GET /p?q=1 HTTP/1.1\r\nHost: a.example\r\n\r\n"));
  host.Send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nKeep-Alive: 9\r\n\r\nhello");
  CHECK(http.Returns("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"));
  CHECK(http.bench.Heard() == "d 1 GET /p 200 40 43 -");
  CHECK(http.bench.service().connections() == 1);
  http.program.Close();
  CHECK(host.Rest().empty());
  CHECK(RunUntil(http.bench.io(), [&] { return http.bench.service().connections() == 0; }));
}

TEST_CASE("http exchange: a further request to the same host uses its connection") {
  Exchange http;
  FarEnd host = http.Finish("a.example", 1);
  http.program.Send(RequestTo("a.example"));
  CHECK(http.bench.Heard() == "a 2 http a.example 80 1");
  http.bench.Permit(2);
  CHECK(http.Passes(host, kRequestHead));
  host.Send(kNoContent);
  CHECK(http.Returns(kNoContent));
  CHECK(http.bench.Heard() == "d 2 GET / 204 35 27 -");
}

TEST_CASE("http exchange: right after a permission, a further request needs no question") {
  Exchange http;
  http.bench.service().broker().RelyOnPermissionsFor(std::chrono::hours(1));
  FarEnd host = http.Finish("a.example", 1);
  http.program.Send(RequestTo("a.example"));
  CHECK(http.Passes(host, kRequestHead));
  host.Send(kNoContent);
  CHECK(http.bench.Heard() == "u 2 http a.example 80 1");
  CHECK(http.bench.Heard() == "d 2 GET / 204 35 27 -");
}

TEST_CASE("http exchange: a further request to another host opens another connection") {
  Exchange http;
  FarEnd host = http.Finish("a.example", 1);
  http.program.Send(RequestTo("b.example"));
  CHECK(http.bench.Heard() == "o 2 http b.example 80");
  CHECK(host.Rest().empty());
  FarEnd other = http.bench.Grant(2);
  CHECK(http.Passes(other, "GET / HTTP/1.1\r\nHost: b.example\r\n\r\n"));
}

TEST_CASE("http exchange: another port of the same host is another place") {
  Exchange http;
  FarEnd host = http.Finish("a.example", 1);
  http.program.Send("GET http://a.example:8080/ HTTP/1.1\r\nHost: a.example:8080\r\n\r\n");
  CHECK(http.bench.Heard() == "o 2 http a.example 8080");
  CHECK(host.Rest().empty());
}

TEST_CASE("http exchange: a tunnel after a request gets a connection of its own") {
  Exchange http;
  FarEnd host = http.Finish("a.example", 1);
  http.program.Send("CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r\n");
  CHECK(http.bench.Heard() == "o 2 connect a.example 80");
  CHECK(host.Rest().empty());
  FarEnd other = http.bench.Grant(2);
  CHECK(http.Returns("HTTP/1.1 200 Connection established\r\n\r\n"));
}

TEST_CASE("http exchange: the policy may deny a further request") {
  Exchange http;
  FarEnd host = http.Finish("a.example", 1);
  http.program.Send(RequestTo("a.example"));
  CHECK(http.bench.Heard() == "a 2 http a.example 80 1");
  http.bench.Deny(2, DenialKind::kPolicy, "not any more");
  CHECK(http.program.Rest().find("\r\n\r\nringfence: not any more\n") != std::string::npos);
  CHECK(host.Rest().empty());
  CHECK(http.bench.HearsNothing());
}

TEST_CASE("http exchange: requests may come before the last response") {
  Exchange http;
  http.program.Send(RequestTo("a.example") + RequestTo("a.example"));
  CHECK(http.bench.Heard() == "o 1 http a.example 80");
  FarEnd host = http.bench.Grant(1);
  CHECK(http.Passes(host, kRequestHead));
  CHECK(http.bench.HearsNothing());
  host.Send(kNoContent);
  CHECK(http.bench.Heard() == "d 1 GET / 204 35 27 -");
  CHECK(http.bench.Heard() == "a 2 http a.example 80 1");
}

TEST_CASE("http exchange: a head in pieces") {
  Exchange http;
  const std::string request = RequestTo("a.example");
  for (const char& byte : request.substr(0, request.size() - 1)) {
    http.program.Send({&byte, 1});
    CHECK(http.bench.HearsNothing());
  }
  http.program.Send("\n");
  CHECK(http.bench.Heard() == "o 1 http a.example 80");
  FarEnd host = http.bench.Grant(1);
  CHECK(http.Passes(host, kRequestHead));
  for (const char& byte : std::string(kNoContent)) {
    host.Send({&byte, 1});
    http.bench.HearsNothing();
  }
  CHECK(http.Returns(kNoContent));
}

TEST_CASE("http exchange: a tunnel") {
  Exchange http;
  http.program.Send("CONNECT a.example:22 HTTP/1.1\r\nHost: a.example:22\r\n\r\nSSH-2.0-early\r\n");
  CHECK(http.bench.Heard() == "o 1 connect a.example 22");
  FarEnd host = http.bench.Grant(1);
  CHECK(http.Returns("HTTP/1.1 200 Connection established\r\n\r\n"));
  CHECK(host.Take(15) == "SSH-2.0-early\r\n");
  host.Send("reply");
  CHECK(http.Returns("reply"));
}

TEST_CASE("http exchange: a websocket") {
  Exchange http;
  http.program.Send(
      "GET http://a.example/chat?q=1 HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\n"
      "Upgrade: websocket\r\n\r\n");
  CHECK(http.bench.Heard() == "o 1 http a.example 80");
  FarEnd host = http.bench.Grant(1);
  const std::string head =
      "GET /chat?q=1 HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: "
      "websocket\r\n\r\n";
  CHECK(http.Passes(host, head));
  host.Send("HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nframe");
  const std::string got = http.program.Take(72);
  CHECK(got.starts_with("HTTP/1.1 101 Switching\r\n"));
  CHECK(got.ends_with("\r\n\r\nframe"));
  http.program.Send("GET / not HTTP any more");
  CHECK(http.Passes(host, "GET / not HTTP any more"));
  http.program.Close();
  host.Close();
  CHECK(http.bench.Heard() == "d 1 GET /chat 101 107 72 -");
}

TEST_CASE("http exchange: denials") {
  Exchange http;
  http.program.Send(RequestTo("a.example"));
  CHECK(http.bench.Heard() == "o 1 http a.example 80");
  http.bench.Deny(1, DenialKind::kPolicy, "not listed");
  const std::string reply = http.program.Rest();
  CHECK(reply.starts_with("HTTP/1.1 403 Forbidden\r\nX-Ringfence: ringfence: not listed\r\n"));
  CHECK(http.bench.HearsNothing());
}

TEST_CASE("http exchange: requests of a wrong form") {
  Exchange http;
  SUBCASE("not for a proxy") {
    http.program.Send("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n");
    CHECK(http.bench.Heard() == "r http - 0 the request is for a web server, not for a proxy");
    CHECK(http.program.Rest().starts_with("HTTP/1.1 400 "));
  }
  SUBCASE("no head") {
    http.program.Send("GET http://a.example/ HTTP/1.1\r\nHost : a.example\r\n\r\n");
    CHECK(http.bench.Heard().starts_with("r http - 0 the request "));
    CHECK(http.program.Rest().starts_with("HTTP/1.1 400 "));
  }
  SUBCASE("a method that fits into no message to the broker") {
    http.program.Send(std::string(40'000, 'A') +
                      " http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n");
    CHECK(http.bench.Heard() == "r http - 0 the request has a method that is too long");
    CHECK(http.program.Rest().starts_with("HTTP/1.1 501 "));
  }
  SUBCASE("too long") {
    http.program.Send("GET http://a.example/ HTTP/1.1\r\nX: " + std::string(70'000, 'x'));
    CHECK(http.bench.Heard().starts_with("r http - 0 the request "));
    CHECK(http.program.Rest().starts_with("HTTP/1.1 431 "));
  }
  CHECK_FALSE(http.bench.has_ended());
}

TEST_CASE("http exchange: a refusal names the host of its own request") {
  Exchange http;
  SUBCASE("of the first one") {
    http.program.Send("GET http://a.example:81/ HTTP/1.1\r\nHost: b.example\r\n\r\n");
    CHECK(http.bench.Heard().starts_with("r http a.example 81 the request has a Host header "));
  }
  SUBCASE("of a further one") {
    FarEnd host = http.Finish("a.example", 1);
    http.program.Send("GET http://b.example/ HTTP/1.1\r\nHost: c.example\r\n\r\n");
    CHECK(http.bench.Heard().starts_with("r http b.example 80 the request has a Host header "));
  }
  SUBCASE("of a further one that names none") {
    FarEnd host = http.Finish("a.example", 1);
    http.program.Send("garbage\r\n\r\n");
    CHECK(http.bench.Heard().starts_with("r http - 0 the request "));
  }
  CHECK(http.program.Rest().starts_with("HTTP/1.1 400 "));
}

TEST_CASE("http exchange: a path of any length is cut for the broker") {
  Exchange http;
  const std::string path = "/" + std::string(50'000, 'p');
  http.program.Send("GET http://a.example" + path + " HTTP/1.1\r\nHost: a.example\r\n\r\n");
  CHECK(http.bench.Heard() == "o 1 http a.example 80");
  FarEnd host = http.bench.Grant(1);
  const std::string head = "GET " + path + " HTTP/1.1\r\nHost: a.example\r\n\r\n";
  CHECK(http.Passes(host, head));
  host.Send(kNoContent);
  CHECK(http.Returns(kNoContent));
  CHECK(http.bench.Heard() == "d 1 GET " + path.substr(0, 1024) + " 204 50035 27 -");
}

TEST_CASE("http exchange: without the credential") {
  Exchange http("secret");
  http.program.Send(RequestTo("a.example"));
  CHECK(http.program.Rest().starts_with("HTTP/1.1 407 "));
  CHECK(http.bench.HearsNothing());
}

TEST_CASE("http exchange: a wrong credential is a line in the log") {
  Exchange http("secret");
  http.program.Send(
      "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
      "Proxy-Authorization: Basic eDp5\r\n\r\n");
  CHECK(http.bench.Heard() == "r http - 0 the request has a wrong user name or password");
  CHECK(http.program.Rest().starts_with("HTTP/1.1 407 "));
}

TEST_CASE("http exchange: with the credential, which the host does not get") {
  Exchange http("secret");
  http.program.Send(
      "GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n"
      "Proxy-Authorization: Basic cmluZ2ZlbmNlOnNlY3JldA==\r\n\r\n");
  CHECK(http.bench.Heard() == "o 1 http a.example 80");
  FarEnd host = http.bench.Grant(1);
  CHECK(http.Passes(host, kRequestHead));
}

TEST_CASE("http exchange: transparent requests are for the host that the program connected to") {
  Exchange http("", RequestSource::Kind::kTransparent);
  SUBCASE("this host") {
    http.program.Send(kRequestHead);
    CHECK(http.bench.Heard() == "o 1 http a.example 80");
  }
  SUBCASE("another host") {
    http.program.Send("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n");
    CHECK(http.bench.Heard().starts_with("r http a.example 80 the request "));
    CHECK(http.program.Rest().starts_with("HTTP/1.1 421 "));
  }
}

TEST_CASE("http exchange: a program that leaves") {
  Exchange http;
  SUBCASE("before a request") { http.program.HalfClose(); }
  SUBCASE("in the middle of a head") {
    http.program.Send("GET http://a.ex");
    http.program.HalfClose();
  }
  SUBCASE("with a reset") { http.program.Reset(); }
  CHECK(RunUntil(http.bench.io(), [&] { return http.bench.service().connections() == 0; }));
  CHECK(http.bench.HearsNothing());
}

TEST_CASE("http exchange: a question is dropped once it takes too long") {
  Exchange http;
  http.program.Send(RequestTo("a.example"));
  CHECK(http.bench.Heard() == "o 1 http a.example 80");
  http.bench.service().DropIdle(INT64_MAX);
  CHECK(http.program.Rest().empty());
  CHECK(http.bench.Heard() == "d 1 GET / 0 0 0 closed, as it was idle");
  FarEnd host = http.bench.Grant(1);
  CHECK(host.Rest().empty());
  CHECK(http.bench.service().connections() == 0);
  CHECK(http.bench.HearsNothing());
}

TEST_CASE("http exchange: a host's connection that the kernel cannot watch is refused") {
  Exchange http;
  SUBCASE("for a request") { http.program.Send(RequestTo("a.example")); }
  SUBCASE("for a tunnel") {
    http.program.Send("CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r\n");
  }
  CHECK(http.bench.Heard().starts_with("o 1 "));
  const FullWatches full;
  FarEnd host = http.bench.Grant(1);
  CHECK(http.bench.Heard().find("fs.epoll.max_user_watches") != std::string::npos);
  CHECK(http.program.Rest().starts_with("HTTP/1.1 503 "));
  CHECK(host.Rest().empty());
  CHECK(http.bench.HearsNothing());
}

TEST_CASE("http exchange: a program that has gone while the host takes its time") {
  Exchange http;
  FarEnd host = http.Ask(RequestTo("a.example"), kRequestHead);
  SUBCASE("with a reset") {
    http.program.Reset();
    CHECK(http.bench.Heard() == "d 1 GET / 0 35 0 the client closed the connection");
  }
  SUBCASE("and others need its place") {
    http.program.Close();
    CHECK(http.bench.HearsNothing());
    std::vector<std::shared_ptr<void>> places;
    while (std::shared_ptr<void> place = http.bench.service().Admit()) places.push_back(place);
    CHECK(http.bench.service().Admit(INT64_MAX) != nullptr);
    CHECK(http.bench.Heard() == "d 1 GET / 0 35 0 the client closed the connection");
  }
  CHECK(host.Rest().empty());
  CHECK(RunUntil(http.bench.io(), [&] { return http.bench.service().connections() < 2; }));
}

TEST_CASE("http exchange: a program that has closed its half waits for the answer") {
  Exchange http;
  FarEnd host = http.Ask(RequestTo("a.example"), kRequestHead);
  http.program.HalfClose();
  CHECK(http.bench.HearsNothing());
  host.Send(kNoContent);
  CHECK(http.Returns(kNoContent));
}

TEST_CASE("http exchange: urgent data does not end a request") {
  Exchange http;
  FarEnd host = http.Ask(RequestTo("a.example"), kRequestHead);
  REQUIRE(::send(http.program.fd(), "!", 1, MSG_OOB) == 1);
  CHECK(http.bench.HearsNothing());
  host.Send(kNoContent);
  CHECK(http.Returns(kNoContent));
}

TEST_CASE("http exchange: the head of each request has a limit of time") {
  Exchange http;
  const std::string requests = RequestTo("a.example") + "GET http";
  http.program.Send(std::string_view(requests).substr(0, 7));
  CHECK(http.bench.HearsNothing());
  http.program.Send(std::string_view(requests).substr(7));
  CHECK(http.bench.Heard() == "o 1 http a.example 80");
  FarEnd host = http.bench.Grant(1);
  CHECK(http.Passes(host, kRequestHead));
  http.bench.service().head_limit = std::chrono::milliseconds(0);
  host.Send(kNoContent);
  CHECK(http.program.Rest() == kNoContent);
}

TEST_CASE("http exchange: a host that has sent something without a request is not asked again") {
  Exchange http;
  FarEnd host = http.Finish("a.example", 1);
  SUBCASE("a response") { host.Send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"); }
  SUBCASE("its end") { host.HalfClose(); }
  http.program.Send(RequestTo("a.example"));
  CHECK(http.bench.Heard() == "o 2 http a.example 80");
  FarEnd other = http.bench.Grant(2);
  CHECK(http.Passes(other, kRequestHead));
  other.Send(kNoContent);
  CHECK(http.Returns(kNoContent));
}
