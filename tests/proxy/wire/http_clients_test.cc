// Requests as real programs send them, with the names of hosts changed.
#include <doctest/doctest.h>

#include <string>

#include "proxy/wire/http_request.h"
#include "tests/support/request_plans.h"

using namespace ringfence;

namespace {

struct Row {
  std::string_view name;
  std::string_view bytes, want;
};

void CheckRow(const Row& row, const RequestSource& source) {
  CAPTURE(row.name);
  CHECK(PlannedText(row.bytes, source) == row.want);
  RequestPlan plan;
  WireError error;
  REQUIRE(PlanBytes(row.bytes, source, plan, error));
  CHECK(IsReadAlike(plan));
  RequestHead head;
  for (size_t size = 0; size < row.bytes.size(); ++size) {
    CHECK(ParseRequestHead(row.bytes.substr(0, size), head, error) == Progress::kNeedsMore);
  }
}

}  // namespace

TEST_CASE("http request: tunnels that real programs ask for") {
  static constexpr Row kRows[] = {
      {"curl",
       "CONNECT forge.example:443 HTTP/1.1\r\nHost: forge.example:443\r\nUser-Agent: curl/8.5.0\r\n"
       "Proxy-Connection: Keep-Alive\r\n\r\n",
       "CONNECT forge.example 443"},
      {"curl, IPv6",
       "CONNECT [2001:db8::1]:8443 HTTP/1.1\r\nHost: [2001:db8::1]:8443\r\n"
       "User-Agent: curl/8.5.0\r\nProxy-Connection: Keep-Alive\r\n\r\n",
       "CONNECT [2001:db8::1] 8443"},
      {"curl, HTTP/1.0",
       "CONNECT forge.example:443 HTTP/1.0\r\nHost: forge.example:443\r\n"
       "User-Agent: curl/8.5.0\r\nProxy-Connection: Keep-Alive\r\n\r\n",
       "CONNECT forge.example 443 close"},
      {"git",
       "CONNECT forge.example:443 HTTP/1.1\r\nHost: forge.example:443\r\nUser-Agent: git/2.39.2\r\n"
       "Proxy-Connection: Keep-Alive\r\n\r\n",
       "CONNECT forge.example 443"},
      {"wget",
       "CONNECT forge.example:443 HTTP/1.1\r\nUser-Agent: Wget/1.21.3\r\n"
       "Host: forge.example:443\r\n\r\n",
       "CONNECT forge.example 443"},
      {"Python before 3.12, pip", "CONNECT forge.example:443 HTTP/1.0\r\n\r\n",
       "CONNECT forge.example 443 close"},
      {"Python 3.12", "CONNECT forge.example:443 HTTP/1.1\r\nHost: forge.example:443\r\n\r\n",
       "CONNECT forge.example 443"},
      {"Java",
       "CONNECT forge.example:443 HTTP/1.1\r\nUser-Agent: Java/17.0.15\r\nHost: forge.example\r\n"
       "Accept: text/html, image/gif, image/jpeg, */*; q=0.2\r\n"
       "Proxy-Connection: keep-alive\r\n\r\n",
       "CONNECT forge.example 443"},
      {"Java, another port",
       "CONNECT forge.example:8443 HTTP/1.1\r\nUser-Agent: Java/17.0.15\r\n"
       "Host: forge.example:8443\r\nAccept: text/html, image/gif, image/jpeg, */*; q=0.2\r\n"
       "Proxy-Connection: keep-alive\r\n\r\n",
       "CONNECT forge.example 8443"},
      {"undici",
       "CONNECT forge.example:443 HTTP/1.1\r\nhost: forge.example\r\nconnection: close\r\n\r\n",
       "CONNECT forge.example 443 close"},
      {"undici, for http",
       "CONNECT forge.example:80 HTTP/1.1\r\nhost: forge.example\r\nconnection: close\r\n\r\n",
       "CONNECT forge.example 80 close"},
      {"npm",
       "CONNECT forge.example:443 HTTP/1.1\r\nHost: forge.example:443\r\n"
       "Proxy-Connection: keep-alive\r\n\r\n",
       "CONNECT forge.example 443"},
      {"older npm",
       "CONNECT forge.example:443 HTTP/1.1\r\nHost: forge.example\r\nConnection: close\r\n\r\n",
       "CONNECT forge.example 443 close"},
      {"Go",
       "CONNECT forge.example:443 HTTP/1.1\r\nHost: forge.example:443\r\n"
       "User-Agent: Go-http-client/1.1\r\n\r\n",
       "CONNECT forge.example 443"},
      {"libsoup",
       "CONNECT forge.example:443 HTTP/1.1\r\nHost: forge.example\r\nUser-Agent: libsoup/3.2.2\r\n"
       "Accept-Encoding: gzip, deflate\r\nConnection: Keep-Alive\r\n\r\n",
       "CONNECT forge.example 443"},
      {"Ruby", "CONNECT forge.example:443 HTTP/1.1\r\nHost: forge.example:443\r\n\r\n",
       "CONNECT forge.example 443"},
      {"okhttp",
       "CONNECT forge.example:443 HTTP/1.1\r\nHost: forge.example:443\r\n"
       "Proxy-Connection: Keep-Alive\r\nUser-Agent: okhttp/4.12.0\r\n\r\n",
       "CONNECT forge.example 443"},
      {"Firefox",
       "CONNECT forge.example:443 HTTP/1.1\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0)"
       " Gecko/20100101 Firefox/128.0\r\nProxy-Connection: keep-alive\r\nConnection: keep-alive\r\n"
       "Host: forge.example:443\r\n\r\n",
       "CONNECT forge.example 443"},
      {"WinINet",
       "CONNECT forge.example:443 HTTP/1.0\r\nUser-Agent: Mozilla/4.0\r\nHost: forge.example\r\n"
       "Content-Length: 0\r\nProxy-Connection: Keep-Alive\r\nPragma: no-cache\r\n\r\n",
       "CONNECT forge.example 443 close"},
      {"nc, for ssh", "CONNECT forge.example:22 HTTP/1.0\r\n\r\n",
       "CONNECT forge.example 22 close"},
  };
  for (const Row& row : kRows) CheckRow(row, {});
}

TEST_CASE("http request: requests that real programs send to a proxy") {
  static constexpr Row kRows[] = {
      {"curl",
       "GET http://forge.example/a?b HTTP/1.1\r\nHost: forge.example\r\nUser-Agent: curl/8.5.0\r\n"
       "Accept: */*\r\nProxy-Connection: Keep-Alive\r\n\r\n",
       "GET forge.example 80 /a"},
      {"curl, a large form",
       "POST http://forge.example:8080/ HTTP/1.1\r\nHost: forge.example:8080\r\n"
       "User-Agent: curl/7.88.1\r\nAccept: */*\r\nProxy-Connection: Keep-Alive\r\n"
       "Content-Length: 2000000\r\nContent-Type: application/x-www-form-urlencoded\r\n"
       "Expect: 100-continue\r\n\r\n",
       "POST forge.example 8080 / 2000000 continue"},
      {"curl, an upload",
       "PUT http://forge.example/x HTTP/1.1\r\nHost: forge.example\r\nUser-Agent: curl/7.88.1\r\n"
       "Accept: */*\r\nTransfer-Encoding: chunked\r\nProxy-Connection: Keep-Alive\r\n"
       "Expect: 100-continue\r\n\r\n",
       "PUT forge.example 80 /x chunked continue"},
      {"curl --http2",
       "GET http://forge.example/ HTTP/1.1\r\nHost: forge.example\r\nUser-Agent: curl/8.5.0\r\n"
       "Accept: */*\r\nProxy-Connection: Keep-Alive\r\nConnection: Upgrade, HTTP2-Settings\r\n"
       "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n",
       "GET forge.example 80 /"},
      {"git",
       "GET http://forge.example/r.git/info/refs?service=git-upload-pack HTTP/1.1\r\n"
       "Host: forge.example\r\nUser-Agent: git/2.39.2\r\nAccept: */*\r\n"
       "Accept-Encoding: deflate, gzip, br, zstd\r\nPragma: no-cache\r\nGit-Protocol: version=2\r\n"
       "Proxy-Connection: Keep-Alive\r\n\r\n",
       "GET forge.example 80 /r.git/info/refs"},
      {"wget",
       "GET http://forge.example/x HTTP/1.1\r\nHost: forge.example\r\nUser-Agent: Wget/1.21.3\r\n"
       "Accept: */*\r\nAccept-Encoding: identity\r\nConnection: Keep-Alive\r\n"
       "Proxy-Connection: Keep-Alive\r\n\r\n",
       "GET forge.example 80 /x"},
      {"urllib",
       "GET http://forge.example/ HTTP/1.1\r\nAccept-Encoding: identity\r\nHost: forge.example\r\n"
       "User-Agent: Python-urllib/3.11\r\nConnection: close\r\n\r\n",
       "GET forge.example 80 / close"},
      {"requests",
       "POST http://forge.example/api HTTP/1.1\r\nHost: forge.example\r\n"
       "User-Agent: python-requests/2.31.0\r\nAccept-Encoding: gzip, deflate\r\nAccept: */*\r\n"
       "Connection: keep-alive\r\nContent-Length: 17\r\nContent-Type: application/json\r\n\r\n",
       "POST forge.example 80 /api 17"},
      {"Java",
       "GET http://forge.example/ HTTP/1.1\r\nUser-Agent: Java/17.0.15\r\nHost: forge.example\r\n"
       "Accept: text/html, image/gif, image/jpeg, */*; q=0.2\r\n"
       "Proxy-Connection: keep-alive\r\n\r\n",
       "GET forge.example 80 /"},
      {"undici",
       "GET http://forge.example/ HTTP/1.1\r\nhost: forge.example\r\nconnection: keep-alive\r\n"
       "accept: */*\r\naccept-language: *\r\nsec-fetch-mode: cors\r\nuser-agent: node\r\n"
       "accept-encoding: gzip, deflate\r\n\r\n",
       "GET forge.example 80 /"},
      {"npm",
       "GET http://forge.example/left-pad HTTP/1.1\r\nconnection: keep-alive\r\n"
       "user-agent: npm/10.2.4 node/v20.11.0 linux x64 workspaces/false\r\nnpm-command: install\r\n"
       "accept: application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*\r\n"
       "accept-encoding: gzip,deflate\r\nHost: forge.example\r\n\r\n",
       "GET forge.example 80 /left-pad"},
      {"apt",
       "GET http://forge.example/debian/dists/bookworm/InRelease HTTP/1.1\r\n"
       "Host: forge.example\r\nCache-Control: max-age=0\r\nAccept: text/*\r\n"
       "User-Agent: Debian APT-HTTP/1.3 (2.6.1)\r\n\r\n",
       "GET forge.example 80 /debian/dists/bookworm/InRelease"},
      {"libwww-perl",
       "GET http://forge.example/ HTTP/1.1\r\nTE: deflate,gzip;q=0.3\r\nConnection: TE, close\r\n"
       "Host: forge.example\r\nUser-Agent: libwww-perl/6.68\r\n\r\n",
       "GET forge.example 80 / close"},
      {"PHP",
       "GET http://forge.example/ HTTP/1.0\r\nHost: forge.example\r\nConnection: close\r\n\r\n",
       "GET forge.example 80 / close"},
      {"HTTP/1.0 without Host", "GET http://forge.example HTTP/1.0\r\n\r\n",
       "GET forge.example 80 / close"},
      {"a browser",
       "GET http://forge.example/ HTTP/1.1\r\nHost: forge.example\r\nProxy-Connection: "
       "keep-alive\r\n"
       "Upgrade-Insecure-Requests: 1\r\nUser-Agent: Mozilla/5.0\r\nCookie: a=b; c=d\r\n\r\n",
       "GET forge.example 80 /"},
  };
  for (const Row& row : kRows) CheckRow(row, {});
}

TEST_CASE("http request: requests that real programs send to a host") {
  static constexpr Row kRows[] = {
      {"curl",
       "GET / HTTP/1.1\r\nHost: forge.example\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\n\r\n",
       "GET forge.example 80 /"},
      {"Java, which offers HTTP/2",
       "GET / HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nContent-Length: 0\r\n"
       "Host: forge.example\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n"
       "Upgrade: h2c\r\nUser-Agent: Java-http-client/17.0.9\r\n\r\n",
       "GET forge.example 80 / 0"},
      {"a websocket of Node.js",
       "GET /chat HTTP/1.1\r\nSec-WebSocket-Version: 13\r\n"
       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nConnection: Upgrade\r\nUpgrade: "
       "websocket\r\n"
       "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
       "Host: forge.example\r\n\r\n",
       "GET forge.example 80 /chat upgrade"},
      {"a websocket of Java",
       "GET / HTTP/1.1\r\nConnection: Upgrade\r\nContent-Length: 0\r\nHost: forge.example\r\n"
       "Upgrade: websocket\r\nUser-Agent: Java-http-client/17.0.15\r\n"
       "Sec-WebSocket-Key: xRH4r5lBNPLEjc6wksLYJQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
       "GET forge.example 80 / 0 upgrade"},
      {"a websocket of Firefox",
       "GET /chat?x HTTP/1.1\r\nHost: forge.example\r\nConnection: keep-alive, Upgrade\r\n"
       "Upgrade: WebSocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
       "GET forge.example 80 /chat upgrade"},
      {"CORS", "OPTIONS /api HTTP/1.1\r\nHost: forge.example\r\nOrigin: null\r\n\r\n",
       "OPTIONS forge.example 80 /api"},
      {"OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: forge.example\r\n\r\n",
       "OPTIONS forge.example 80 *"},
      {"WebDAV", "VERSION-CONTROL /x HTTP/1.1\r\nHost: forge.example\r\n\r\n",
       "VERSION-CONTROL forge.example 80 /x"},
      {"a search with a body",
       "GET /_search HTTP/1.1\r\nHost: forge.example\r\nContent-Length: 2\r\n\r\n",
       "GET forge.example 80 /_search 2"},
      {"an old program", "GET / HTTP/1.0\r\nHost: forge.example\r\nConnection: Keep-Alive\r\n\r\n",
       "GET forge.example 80 / close"},
  };
  for (const Row& row : kRows) {
    CheckRow(row, {.kind = RequestSource::Kind::kTransparent,
                   .host = "forge.example",
                   .port = 80,
                   .credential = {}});
  }
}
