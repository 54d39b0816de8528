#include <doctest/doctest.h>

#include <string>

#include "tests/proxy/worker/exchange_bench.h"

using namespace ringfence;

namespace {

constexpr std::string_view kPost =
    "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\n";
constexpr std::string_view kPostHead =
    "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\n\r\n";

// A host that has a request.
struct Asked : Exchange {
  FarEnd host = Ask(RequestTo("a.example"), kRequestHead);
};

}  // namespace

TEST_CASE("http exchange: a body of a length, in pieces") {
  Exchange http;
  FarEnd host = http.Ask(std::string(kPost) + "12345", std::string(kPostHead) + "12345");
  http.program.Send("67890");
  CHECK(http.Passes(host, "67890"));
  host.Send(kNoContent);
  CHECK(http.Returns(kNoContent));
  CHECK(http.bench.Heard() == "d 1 POST / 204 66 27 -");
}

TEST_CASE("http exchange: a body in chunks is written in chunks of its own") {
  Exchange http;
  const std::string head =
      "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n";
  FarEnd host = http.Ask(
      "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;x=y\r\nabc\r\n",
      head + "3\r\nabc\r\n");
  http.program.Send("2\r\nde\r\n0\r\nTrailer: x\r\n\r\n");
  CHECK(http.Passes(host, "2\r\nde\r\n0\r\n\r\n"));
  host.Send(kNoContent);
  CHECK(http.Returns(kNoContent));
}

TEST_CASE("http exchange: a broken body") {
  Exchange http;
  http.program.Send(
      "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n"
      "xyz\r\n");
  CHECK(http.bench.Heard() == "o 1 http a.example 80");
  FarEnd host = http.bench.Grant(1);
  CHECK(http.bench.Heard().starts_with("r http a.example 80 the request "));
  CHECK(http.bench.Heard().starts_with("d 1 POST / 0 0 0 the request "));
  CHECK(http.program.Rest().starts_with("HTTP/1.1 400 "));
  CHECK(host.Rest().empty());
}

TEST_CASE("http exchange: a program that leaves in the middle of its body") {
  Exchange http;
  FarEnd host = http.Ask(std::string(kPost) + "12345", std::string(kPostHead) + "12345");
  http.program.HalfClose();
  CHECK(http.bench.Heard() == "d 1 POST / 0 61 0 the client closed the connection");
  CHECK(host.Rest().empty());
}

TEST_CASE("http exchange: a response before the end of the request") {
  Exchange http;
  FarEnd host = http.Ask(std::string(kPost) + "12345", std::string(kPostHead) + "12345");
  host.Send("HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n");
  CHECK(http.program.Rest().starts_with("HTTP/1.1 413 Large\r\n"));
  CHECK(host.Rest().empty());
  CHECK(http.bench.Heard().starts_with("d 1 POST / 413 "));
}

TEST_CASE("http exchange: a host that answers and takes no more of the request") {
  Exchange http;
  FarEnd host = http.Ask(std::string(kPost) + "1", std::string(kPostHead) + "1");
  host.Send("HTTP/1.1 413 Large\r\nContent-Length: 9\r\n\r\nthe ");
  CHECK(http.program.Take(4) == "HTTP");
  host.Send("whole");
  CHECK(http.program.Rest().ends_with("\r\n\r\nthe whole"));
}

TEST_CASE("http exchange: a host that answers and resets the rest of the request") {
  Exchange http;
  FarEnd host = http.Ask(std::string(kPost) + "1", std::string(kPostHead) + "1");
  // All are there when the worker looks, and it passes on the request first.
  http.program.Send("2345");
  host.Send("HTTP/1.1 413 Large\r\nContent-Length: 5\r\n\r\nlarge");
  host.Reset();
  CHECK(http.program.Rest().ends_with("\r\n\r\nlarge"));
  CHECK(http.bench.Heard().starts_with("d 1 POST / 413 "));
}

TEST_CASE("http exchange: a host that takes its time to read") {
  Exchange http;
  const std::string body(size_t{16} * 1024 * 1024, 'b');
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  FarEnd host = http.Ask("POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n" + length,
                         "POST / HTTP/1.1\r\nHost: a.example\r\n" + length);
  size_t sent = 0;
  size_t got = 0;
  int idle = 0;
  CHECK(RunUntil(http.bench.io(), [&] {
    const ssize_t some = ::send(http.program.fd(), body.data() + sent, body.size() - sent,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (some > 0) sent += static_cast<size_t>(some);
    idle = some > 0 ? 0 : idle + 1;
    if (idle > 20) got += host.TakeAll().size();
    return got == body.size();
  }));
  host.Send(kNoContent);
  CHECK(http.Returns(kNoContent));
}

TEST_CASE("http exchange: interim responses") {
  Exchange http;
  FarEnd host = http.Ask(
      "POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\nContent-Length: 2\r\n"
      "Expect: 100-continue\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  SUBCASE("one") {
    host.Send("HTTP/1.1 100 Continue\r\n\r\n");
    CHECK(http.Returns("HTTP/1.1 100 Continue\r\n\r\n"));
    http.program.Send("hi");
    CHECK(http.Passes(host, "hi"));
    host.Send(kNoContent);
    CHECK(http.Returns(kNoContent));
  }
  SUBCASE("without end") {
    for (int i = 0; i < 17; ++i) host.Send("HTTP/1.1 103 Early\r\n\r\n");
    CHECK(http.bench.Heard().ends_with(" the host sends no final response"));
    http.program.Rest();
    CHECK(host.IsReset() == false);
  }
}

TEST_CASE("http exchange: a response in chunks") {
  Asked http;
  http.host.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;a=b\r\nwiki\r\n");
  CHECK(http.Returns("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n"));
  http.host.Send("0\r\nX: y\r\n\r\n");
  CHECK(http.Returns("0\r\n\r\n"));
  CHECK(http.bench.Heard().starts_with("d 1 GET / 200 "));
}

TEST_CASE("http exchange: a response until the host closes") {
  Asked http;
  http.host.Send("HTTP/1.1 200 OK\r\n\r\nwiki");
  CHECK(http.Returns("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n"));
  http.host.Close();
  CHECK(http.Returns("0\r\n\r\n"));
  CHECK(http.bench.Heard().starts_with("d 1 GET / 200 "));
  // The connection of the program lives on.
  http.program.Send(RequestTo("a.example"));
  CHECK(http.bench.Heard() == "o 2 http a.example 80");
}

TEST_CASE("http exchange: a response to HTTP/1.0 ends with the connection") {
  Exchange http;
  FarEnd host = http.Ask("GET http://a.example/ HTTP/1.0\r\n\r\n",
                         "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n");
  host.Send("HTTP/1.1 200 OK\r\n\r\nwiki");
  host.Close();
  CHECK(http.program.Rest().ends_with("\r\n\r\nwiki"));
  CHECK(RunUntil(http.bench.io(), [&] { return http.bench.service().connections() == 0; }));
}

TEST_CASE("http exchange: half of a body is not taken for all of it") {
  Asked http;
  SUBCASE("of a length") { http.host.Send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"); }
  SUBCASE("in chunks") {
    http.host.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
  }
  http.host.Close();
  CHECK(http.bench.Heard().starts_with("d 1 GET / 200 "));
  CHECK(http.program.IsReset());
}

TEST_CASE("http exchange: a response that ends with the connection does not end with a reset") {
  Exchange http;
  SUBCASE("to HTTP/1.1") {
    FarEnd host = http.Ask(RequestTo("a.example"), kRequestHead);
    host.Send("HTTP/1.1 200 OK\r\n\r\nhalf");
    CHECK(http.Returns("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"));
    host.Reset();
  }
  SUBCASE("to HTTP/1.0") {
    FarEnd host = http.Ask("GET http://a.example/ HTTP/1.0\r\n\r\n",
                           "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n");
    host.Send("HTTP/1.1 200 OK\r\n\r\nhalf");
    CHECK(http.Returns("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf"));
    host.Reset();
  }
  CHECK(http.bench.Heard().starts_with("d 1 GET / 200 "));
  CHECK(http.program.IsReset());
}

TEST_CASE("http exchange: a broken chunk of a response") {
  Asked http;
  http.host.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n");
  CHECK(http.Returns("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n"));
  http.host.Send("xyz\r\n");
  // A response has begun, so no other may follow, nor an orderly end of this one.
  CHECK(http.program.IsReset());
  CHECK(http.bench.Heard().starts_with("d 1 GET / 200 "));
}

TEST_CASE("http exchange: a broken chunk that comes with the head of a response") {
  Asked http;
  SUBCASE("the response") {}
  SUBCASE("after one that was interim") {
    http.host.Send("HTTP/1.1 103 Early\r\n\r\n");
    CHECK(http.Returns("HTTP/1.1 103 Early\r\n\r\n"));
  }
  http.host.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nZZ\r\n");
  const std::string reply = http.program.Rest();
  CHECK(reply.starts_with("HTTP/1.1 502 "));
  CHECK(reply.find("hello") == std::string::npos);
}

TEST_CASE("http exchange: half of a response that ends with the connection is reset") {
  Exchange http;
  const std::string head = "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n";
  SUBCASE("by the host's mistake") {
    FarEnd host = http.Ask("GET http://a.example/ HTTP/1.0\r\n\r\n", head + "\r\n");
    host.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    CHECK(http.Returns("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"));
    host.Send("ZZ\r\n");
    CHECK(http.program.IsReset());
  }
  SUBCASE("because nothing passes") {
    FarEnd host = http.Ask("GET http://a.example/ HTTP/1.0\r\n\r\n", head + "\r\n");
    host.Send("HTTP/1.1 200 OK\r\n\r\nhello");
    CHECK(http.Returns("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello"));
    http.bench.service().DropIdle(INT64_MAX);
    CHECK(http.program.IsReset());
  }
}

TEST_CASE("http exchange: hosts that do not speak HTTP") {
  Asked http;
  SUBCASE("nothing") { http.host.Close(); }
  SUBCASE("half a head") {
    http.host.Send("HTTP/1.1 200");
    http.host.Close();
  }
  SUBCASE("another protocol") { http.host.Send("SSH-2.0-server\r\n\r\n"); }
  SUBCASE("two lengths") {
    http.host.Send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx");
  }
  SUBCASE("a reset") { http.host.Reset(); }
  CHECK(http.program.Rest().starts_with("HTTP/1.1 502 "));
  CHECK(http.bench.Heard().starts_with("d 1 GET / 0 35 0 the "));
}

TEST_CASE("http exchange: more than a response closes the host's connection") {
  Asked http;
  http.host.Send(std::string(kNoContent) + "HTTP/1.1 200 OK\r\n\r\nanother");
  CHECK(http.Returns(kNoContent));
  CHECK(http.bench.Heard() == "d 1 GET / 204 35 27 -");
  http.program.Send(RequestTo("a.example"));
  CHECK(http.bench.Heard() == "o 2 http a.example 80");
}

TEST_CASE("http exchange: a host that wants no further request") {
  Asked http;
  http.host.Send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  CHECK(http.Returns("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
  CHECK(http.host.Rest().empty());
}

TEST_CASE("http exchange: a host that had closed meanwhile is asked again, once") {
  Exchange http;
  FarEnd host = http.Finish("a.example", 1);
  SUBCASE("a request without a body") {
    http.program.Send(RequestTo("a.example"));
    CHECK(http.bench.Heard() == "a 2 http a.example 80 1");
    host.Close();
    http.bench.Permit(2);
    CHECK(http.bench.Heard().ends_with(" the host had closed the connection"));
    CHECK(http.bench.Heard() == "o 3 http a.example 80");
    FarEnd other = http.bench.Grant(3);
    CHECK(http.Passes(other, kRequestHead));
    other.Close();
    CHECK(http.program.Rest().starts_with("HTTP/1.1 502 "));
  }
  SUBCASE("not after half of a response") {
    http.program.Send(RequestTo("a.example"));
    CHECK(http.bench.Heard() == "a 2 http a.example 80 1");
    http.bench.Permit(2);
    CHECK(http.Passes(host, kRequestHead));
    host.Send("HTTP/1.1 20");
    host.Close();
    CHECK(http.program.Rest().starts_with("HTTP/1.1 502 "));
  }
  SUBCASE("not one that might count twice") {
    SUBCASE("with a body") { http.program.Send(std::string(kPost) + "1234567890"); }
    SUBCASE("without a body") {
      http.program.Send("POST http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n");
    }
    CHECK(http.bench.Heard() == "a 2 http a.example 80 1");
    host.Close();
    http.bench.Permit(2);
    CHECK(http.program.Rest().starts_with("HTTP/1.1 502 "));
  }
}

TEST_CASE("http exchange: a request that is sent again has passed, whatever the first host took") {
  Exchange http;
  FarEnd host = http.Finish("a.example", 1);
  http.program.Send(RequestTo("a.example"));
  CHECK(http.bench.Heard() == "a 2 http a.example 80 1");
  host.Reset();  // before the request, which it so refuses
  http.bench.Permit(2);
  CHECK(http.bench.Heard().ends_with(" the host had closed the connection"));
  CHECK(http.bench.Heard() == "o 3 http a.example 80");
  FarEnd other = http.bench.Grant(3);
  CHECK(http.Passes(other, kRequestHead));
  other.Send(kNoContent);
  CHECK(http.Returns(kNoContent));
  CHECK(http.bench.Heard() == "d 3 GET / 204 35 27 -");
  http.program.Send(RequestTo("a.example"));
  CHECK(http.bench.Heard() == "a 4 http a.example 80 3");
}

TEST_CASE("http exchange: a program that does not read its response") {
  Asked http;
  std::string body;
  for (int i = 0; body.size() < size_t{8} * 1024 * 1024; ++i) body += std::to_string(i) + "\n";
  const std::string response =
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  size_t sent = 0;
  std::string got;
  SUBCASE("at once") {
    CHECK(RunUntil(http.bench.io(), [&] {
      const ssize_t some = ::send(http.host.fd(), response.data() + sent, response.size() - sent,
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
      if (some > 0) sent += static_cast<size_t>(some);
      if (sent * 2 > response.size()) got += http.program.TakeAll();
      return got.size() == response.size();
    }));
    CHECK(got == response);
  }
  SUBCASE("at all") {
    http.host.Send(std::string_view(response).substr(0, 1000));
    CHECK(http.program.Take(1000).size() == 1000);
    http.program.Reset();
    CHECK(RunUntil(http.bench.io(), [&] {
      return ::send(http.host.fd(), body.data(), 1000, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
             errno != EAGAIN;
    }));
    CHECK(http.bench.Heard().starts_with("d 1 GET / 200 "));
  }
}
