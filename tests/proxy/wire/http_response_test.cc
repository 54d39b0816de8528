#include "proxy/wire/http_response.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;

namespace {

bool PlanAnswer(std::string_view bytes, const ResponseContext& context, ResponsePlan& plan,
                WireError& error) {
  ResponseHead head;
  REQUIRE(ParseResponseHead(bytes, head, error) == Progress::kDone);
  return PlanHttpResponse(head, context, plan, error);
}

// The body as the host sends it, and what is true of the response.
std::string FactsOf(const ResponsePlan& plan) {
  std::string text;
  if (plan.body.kind == BodyFraming::Kind::kNone) text = "none";
  if (plan.body.kind == BodyFraming::Kind::kLength) text = std::to_string(plan.body.length);
  if (plan.body.kind == BodyFraming::Kind::kChunked) text = "chunked";
  if (plan.body.kind == BodyFraming::Kind::kUntilClose) text = "until-close";
  if (plan.send_chunked) text += " send-chunked";
  if (plan.is_interim) text += " interim";
  if (plan.is_switching) text += " switching";
  if (!plan.host_keeps_alive) text += " host-closes";
  if (!plan.client_keeps_alive) text += " client-closes";
  return text;
}

struct Row {
  std::string_view name;
  std::string_view bytes;
  std::string_view facts;  // or the status and reason of the refusal
  std::string_view head;
};

void CheckRow(const Row& row, const ResponseContext& context) {
  CAPTURE(row.name);
  ResponsePlan plan;
  WireError error;
  if (!PlanAnswer(row.bytes, context, plan, error)) {
    CHECK(std::to_string(error.status) + " " + error.reason == row.facts);
    CHECK(row.head.empty());
    return;
  }
  CHECK(FactsOf(plan) == row.facts);
  CHECK(plan.head == row.head);
}

constexpr ResponseContext kGet{.method = "GET"};
constexpr ResponseContext kOldGet{.method = "GET", .client_minor = 0};

}  // namespace

TEST_CASE("http response: headers for one hop are left out, and the framing is rewritten") {
  static constexpr Row kRows[] = {
      {"a length", "HTTP/1.1 200 OK\r\nContent-Length: 005\r\nA:b\r\nSet-Cookie: c\r\n\r\n", "5",
       "HTTP/1.1 200 OK\r\nA: b\r\nSet-Cookie: c\r\nContent-Length: 5\r\n\r\n"},
      {"chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\nTrailer: X\r\n\r\n",
       "chunked send-chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {"until close", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
       "until-close send-chunked host-closes",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {"until close, which HTTP/1.1 does not announce", "HTTP/1.1 200 OK\r\n\r\n",
       "until-close send-chunked host-closes",
       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {"the host closes",
       "HTTP/1.1 200 OK\r\nConnection: X, close\r\nX: y\r\n"
       "Content-Length: 0\r\n\r\n",
       "0 host-closes", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
      {"HTTP/1.0", "HTTP/1.0 404 Not Found\r\nContent-Length: 5\r\n\r\n", "5 host-closes",
       "HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\n"},
      {"HTTP/1.0 with keep-alive",
       "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nKeep-Alive: x\r\nContent-Length: 5\r\n\r\n",
       "5", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"},
      {"Proxy-*",
       "HTTP/1.1 407 x\r\nProxy-Authenticate: Basic\r\nproxy-status: x\r\nContent-Length: "
       "0\r\n\r\n",
       "0", "HTTP/1.1 407 x\r\nContent-Length: 0\r\n\r\n"},
      {"Upgrade and TE", "HTTP/1.1 426 x\r\nUpgrade: h2c\r\nTE: x\r\nContent-Length: 0\r\n\r\n",
       "0", "HTTP/1.1 426 x\r\nContent-Length: 0\r\n\r\n"},
      {"Connection names Content-Length",
       "HTTP/1.1 200 OK\r\nConnection: content-length\r\nContent-Length: 5\r\n\r\n", "5",
       "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"},
      {"Connection that is not a list",
       "HTTP/1.1 200 OK\r\nConnection: close; \"x\"\r\nContent-Length: 5\r\n\r\n", "5",
       "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"},
      {"no reason", "HTTP/1.1 200\r\nContent-Length: 5\r\n\r\n", "5",
       "HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\n"},
      {"204 with a length", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\nA: b\r\n\r\n", "none",
       "HTTP/1.1 204 No Content\r\nA: b\r\n\r\n"},
      {"204 with chunks", "HTTP/1.1 204 x\r\nTransfer-Encoding: chunked\r\n\r\n", "none",
       "HTTP/1.1 204 x\r\n\r\n"},
      {"304 with a length", "HTTP/1.1 304 x\r\nContent-Length: 5\r\nETag: x\r\n\r\n", "none",
       "HTTP/1.1 304 x\r\nETag: x\r\nContent-Length: 5\r\n\r\n"},
      {"304 with two lengths", "HTTP/1.1 304 x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
       "none", "HTTP/1.1 304 x\r\n\r\n"},
      {"100", "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\nConnection: x\r\n\r\n", "none interim",
       "HTTP/1.1 100 Continue\r\n\r\n"},
      {"103", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", "none interim",
       "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"},

      {"both", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
       "502 has Content-Length and Transfer-Encoding headers", ""},
      {"two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
       "502 has several Content-Length headers", ""},
      {"gzip", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
       "502 has a Transfer-Encoding other than chunked", ""},
      {"chunks in HTTP/1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
       "502 has Transfer-Encoding in HTTP/1.0", ""},
      {"101", "HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
       "502 switches to a protocol that the client did not ask for", ""},
  };
  for (const Row& row : kRows) CheckRow(row, kGet);
}

TEST_CASE("http response: a response to HEAD has the length of the body that it does not have") {
  static constexpr Row kRows[] = {
      {"a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "none",
       "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"},
      {"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "none",
       "HTTP/1.1 200 OK\r\n\r\n"},
      {"neither", "HTTP/1.1 200 OK\r\n\r\n", "none", "HTTP/1.1 200 OK\r\n\r\n"},
      {"both", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", "none",
       "HTTP/1.1 200 OK\r\n\r\n"},
      {"not a length", "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n", "none",
       "HTTP/1.1 200 OK\r\n\r\n"},
      {"204", "HTTP/1.1 204 x\r\nContent-Length: 5\r\n\r\n", "none", "HTTP/1.1 204 x\r\n\r\n"},
      {"100", "HTTP/1.1 100 x\r\nContent-Length: 5\r\n\r\n", "none interim",
       "HTTP/1.1 100 x\r\n\r\n"},
  };
  for (const Row& row : kRows) CheckRow(row, {.method = "HEAD"});
}

TEST_CASE("http response: an HTTP/1.0 client receives no chunks and no interim responses") {
  static constexpr Row kRows[] = {
      {"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "chunked client-closes",
       "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"},
      {"until close", "HTTP/1.1 200 OK\r\n\r\n", "until-close host-closes client-closes",
       "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"},
      {"a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "5 client-closes",
       "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"},
      {"103", "HTTP/1.1 103 x\r\nA: b\r\n\r\n", "none interim client-closes", ""},
  };
  for (const Row& row : kRows) CheckRow(row, kOldGet);
}

TEST_CASE("http response: the client's wish to close is passed back") {
  CheckRow({"a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "5 client-closes",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"},
           {.method = "GET", .client_keep_alive = false});
}

TEST_CASE("http response: only a websocket that the client asked for is switched to") {
  static constexpr Row kRows[] = {
      {"a websocket",
       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n"
       "Sec-WebSocket-Accept: x\r\n\r\n",
       "none switching",
       "HTTP/1.1 101 Switching Protocols\r\nSec-WebSocket-Accept: x\r\nConnection: Upgrade\r\n"
       "Upgrade: websocket\r\n\r\n"},
      {"a refusal", "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "0",
       "HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"},
      {"HTTP/2", "HTTP/1.1 101 x\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
       "502 switches to a protocol that the client did not ask for", ""},
      {"two protocols",
       "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
       "502 switches to a protocol that the client did not ask for", ""},
      {"no Upgrade", "HTTP/1.1 101 x\r\nConnection: Upgrade\r\n\r\n",
       "502 switches to a protocol that the client did not ask for", ""},
      {"no Connection", "HTTP/1.1 101 x\r\nUpgrade: websocket\r\n\r\n",
       "502 switches to a protocol that the client did not ask for", ""},
      {"HTTP/1.0", "HTTP/1.0 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
       "502 switches to a protocol that the client did not ask for", ""},
  };
  for (const Row& row : kRows) CheckRow(row, {.method = "GET", .asked_upgrade = true});
}
