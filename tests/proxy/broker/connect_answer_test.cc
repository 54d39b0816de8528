#include "proxy/broker/connect_answer.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;

namespace {

using State = ConnectAnswer::State;

struct Read {
  State state;
  int status;    // 0 unless kDone
  size_t taken;  // bytes
  bool operator==(const Read&) const = default;
};

// Feeds the bytes in pieces of `size`, as sockets may.
Read ReadInPieces(std::string_view bytes, size_t size) {
  ConnectAnswer answer;
  size_t taken = 0;
  while (taken < bytes.size() && answer.state() == State::kNeedsMore) {
    taken += answer.Take(bytes.substr(taken, size));
  }
  return {answer.state(), answer.state() == State::kDone ? answer.status() : 0, taken};
}

struct Row {
  std::string_view name;
  std::string_view bytes;
  State state;
  int status = 0;
};

using namespace std::string_view_literals;

constexpr Row kRows[] = {
    {"as most proxies say it", "HTTP/1.1 200 Connection established\r\n\r\n", State::kDone, 200},
    {"HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\n", State::kDone, 200},
    {"no reason", "HTTP/1.1 200 \r\n\r\n", State::kDone, 200},
    {"no space after the status", "HTTP/1.1 200\r\n\r\n", State::kDone, 200},
    {"headers", "HTTP/1.1 200 OK\r\nVia: x\r\nA:\r\n\r\n", State::kDone, 200},
    // RFC 9110, 9.3.6: both are to be ignored.
    {"a length of a tunnel", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", State::kDone, 200},
    {"chunks of a tunnel", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", State::kDone,
     200},
    {"another 2xx", "HTTP/1.1 299 x\r\n\r\n", State::kDone, 299},
    {"bytes beyond ASCII in the reason", "HTTP/1.1 200 \xC3\xA4\xFF\r\n\r\n", State::kDone, 200},
    {"a tab in a header", "HTTP/1.1 200 OK\r\nA:\tb\r\n\r\n", State::kDone, 200},
    {"an interim answer", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", State::kDone,
     200},
    {"two, with headers",
     "HTTP/1.1 102 x\r\nA: b\r\n\r\nHTTP/1.1 103 x\r\n\r\nHTTP/1.1 502 x\r\n\r\n", State::kDone,
     502},
    {"a refusal", "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\n", State::kDone, 403},
    {"a redirect", "HTTP/1.1 302 Found\r\nLocation: http://x/\r\n\r\n", State::kDone, 302},
    {"another protocol", "HTTP/1.1 101 x\r\nUpgrade: y\r\n\r\n", State::kDone, 101},

    {"nothing", "", State::kNeedsMore},
    {"a beginning", "HTTP/1.1 20", State::kNeedsMore},
    {"no empty line", "HTTP/1.1 200 OK\r\nA: b\r\n", State::kNeedsMore},
    {"half of the empty line", "HTTP/1.1 200 OK\r\n\r", State::kNeedsMore},
    {"an interim answer alone", "HTTP/1.1 100 Continue\r\n\r\n", State::kNeedsMore},

    {"a bare line feed after the status", "HTTP/1.1 200 OK\n", State::kBad},
    {"a bare line feed as the empty line", "HTTP/1.1 200 OK\r\n\n", State::kBad},
    {"a bare line feed in a header", "HTTP/1.1 200 OK\r\nA: b\n", State::kBad},
    {"a bare carriage return", "HTTP/1.1 200 OK\rA", State::kBad},
    {"two carriage returns", "HTTP/1.1 200 OK\r\r", State::kBad},
    {"a zero byte", "HTTP/1.1 200 O\0"sv, State::kBad},
    {"an empty line first", "\r\n", State::kBad},
    {"an empty line after an interim answer", "HTTP/1.1 100 x\r\n\r\n\r\n", State::kBad},
    {"HTTP/2", "HTTP/2.0 200 OK\r\n", State::kBad},
    {"HTTP/1.2", "HTTP/1.2 200 OK\r\n", State::kBad},
    {"lower case", "http/1.1 200 OK\r\n", State::kBad},
    {"no version", "200 OK\r\n", State::kBad},
    {"a space first", " HTTP/1.1 200 OK\r\n", State::kBad},
    {"two spaces", "HTTP/1.1  200 OK\r\n", State::kBad},
    {"two digits", "HTTP/1.1 20\r\n", State::kBad},
    {"four digits", "HTTP/1.1 2000\r\n", State::kBad},
    {"a sign", "HTTP/1.1 +20 OK\r\n", State::kBad},
    {"letters in the status", "HTTP/1.1 2OO OK\r\n", State::kBad},
    {"a status below 100", "HTTP/1.1 099 OK\r\n", State::kBad},
    {"a status above 599", "HTTP/1.1 600 OK\r\n", State::kBad},
    {"another protocol's greeting", "SSH-2.0-x\r\n", State::kBad},
    {"TLS", "\x15\x03\x03\x00"sv, State::kBad},
};

}  // namespace

TEST_CASE("connect answer: its end and its status are found, however it arrives") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    const Read want{row.state, row.status, row.bytes.size()};
    for (size_t size = 1; size <= row.bytes.size() + 1; ++size) {
      CAPTURE(size);
      CHECK(ReadInPieces(row.bytes, size) == want);
    }
  }
}

TEST_CASE("connect answer: nothing is taken of what follows") {
  for (const Row& row : kRows) {
    if (row.state == State::kNeedsMore) continue;
    CAPTURE(row.name);
    for (const std::string_view more : {"\r\n", "HTTP/1.1 200 OK\r\n\r\n", "\n", "SSH-2.0-x\r\n"}) {
      const std::string bytes = std::string(row.bytes).append(more);
      for (size_t size = 1; size <= bytes.size(); ++size) {
        CHECK(ReadInPieces(bytes, size) == Read{row.state, row.status, row.bytes.size()});
      }
    }
  }
}

TEST_CASE("connect answer: only a 2xx is a tunnel") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    ConnectAnswer answer;
    CHECK(answer.Take(row.bytes) == row.bytes.size());
    CHECK(answer.is_tunnel() == (row.status / 100 == 2));
  }
}

TEST_CASE("connect answer: it has at most 8 KB, with its interim answers") {
  const std::string start = "HTTP/1.1 200 OK\r\nA: ";
  const std::string end = "\r\n\r\n";
  const size_t rest = ConnectAnswer::kMaxSize - start.size() - end.size();
  const std::string longest = start + std::string(rest, 'x') + end;
  CHECK(ReadInPieces(longest, 1000) == Read{State::kDone, 200, longest.size()});
  const std::string longer = start + std::string(rest + 1, 'x') + end;
  CHECK(ReadInPieces(longer, 1000) == Read{State::kBad, 0, ConnectAnswer::kMaxSize + 1});
  std::string interim;
  while (interim.size() <= ConnectAnswer::kMaxSize) interim += "HTTP/1.1 100 x\r\n\r\n";
  CHECK(ReadInPieces(interim, 7).state == State::kBad);
}
