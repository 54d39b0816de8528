#include "proxy/wire/http_head.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;
using namespace std::literals;

namespace {

std::string HeadersText(const std::vector<HttpHeader>& headers) {
  std::string text;
  for (const HttpHeader& header : headers) {
    text.append("|").append(header.name).append("=").append(header.value);
  }
  return text;
}

// The parts of the head and its size; "..." for kNeedsMore; the status and reason for kBad.
std::string RequestText(std::string_view bytes) {
  RequestHead head;
  WireError error;
  const Progress progress = ParseRequestHead(bytes, head, error);
  if (progress == Progress::kNeedsMore) return "...";
  if (progress == Progress::kBad) return std::to_string(error.status) + " " + error.reason;
  std::string text = std::string(head.method) + " " + std::string(head.target) + " 1.";
  return text + std::to_string(head.minor_version) + HeadersText(head.headers) + " " +
         std::to_string(head.size);
}

std::string ResponseText(std::string_view bytes) {
  ResponseHead head;
  WireError error;
  const Progress progress = ParseResponseHead(bytes, head, error);
  if (progress == Progress::kNeedsMore) return "...";
  if (progress == Progress::kBad) return std::to_string(error.status) + " " + error.reason;
  std::string text = "1." + std::to_string(head.minor_version) + " " + std::to_string(head.status);
  return text + " [" + std::string(head.reason) + "]" + HeadersText(head.headers) + " " +
         std::to_string(head.size);
}

constexpr std::string_view kGoodRequests[] = {
    "GET / HTTP/1.1\r\n\r\n",
    "GET /a?b=c%20d HTTP/1.0\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
    "CONNECT forge.example:443 HTTP/1.1\r\nHost: forge.example:443\r\n"
    "User-Agent: curl/8.5.0\r\nProxy-Connection: Keep-Alive\r\n\r\n",
    "M-SEARCH http://h/ HTTP/1.1\r\nHost:h\r\nX:\t tab \tand space \t\r\nEmpty:\r\nBlank: "
    "\t\r\n\r\n",
    "GET / HTTP/1.1\r\nX: caf\xC3\xA9 \xFF\r\n!#$%&'*+-.^_`|~09azAZ: colon:colon\r\n\r\n",
};

constexpr std::string_view kGoodResponses[] = {
    "HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.0 404 Not Found\r\nServer: x\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 \r\nA:b\r\n\r\n",
    "HTTP/1.1 599\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 301 D\xC3\xA9plac\xE9 \t!\r\nLocation: http://h/\r\n\r\n",
};

struct BadRow {
  std::string_view name;
  std::string_view bytes;
  std::string_view want;
};

constexpr std::string_view kNotMethod = "400 does not begin with a method";
constexpr std::string_view kNoTarget = "400 has no target";
constexpr std::string_view kNoVersion = "400 has no HTTP version";
constexpr std::string_view kWrongVersion = "505 has an HTTP version other than 1.0 and 1.1";
constexpr std::string_view kWrongName = "400 has a header whose name is not a token";
constexpr std::string_view kControl = "400 has a control character in a header";
constexpr std::string_view kFolded = "400 has a header that is continued on another line";
constexpr std::string_view kBareEnd = "400 has a line that does not end in CR LF";
constexpr std::string_view kNotAscii = "400 has a target with characters other than visible ASCII";

constexpr BadRow kBadRequests[] = {
    {"an empty line first", "\r\nGET / HTTP/1.1\r\n\r\n", "400 begins with an empty line"},
    {"a line feed first", "\nGET / HTTP/1.1\r\n\r\n", kBareEnd},
    {"a space first", " GET / HTTP/1.1\r\n\r\n", kNotMethod},
    {"a NUL first", "\0GET / HTTP/1.1\r\n\r\n"sv, kNotMethod},
    {"TLS", "\x16\x03\x01\x02\x00\x01\x00"sv, kNotMethod},
    {"SOCKS", "\x05\x01\x00"sv, kNotMethod},
    {"a byte order mark", "\xEF\xBB\xBFGET / HTTP/1.1\r\n\r\n", kNotMethod},
    {"a tab after the method", "GET\t/ HTTP/1.1\r\n\r\n", kNotMethod},
    {"a method with a colon", "GET: / HTTP/1.1\r\n\r\n", kNotMethod},
    {"a method only", "GET\r\n\r\n", kNoTarget},
    {"HTTP/0.9", "GET /\r\n", kNoVersion},
    {"HTTP/0.9 with a space", "GET / \r\n", "400 has an HTTP version other than 1.0 and 1.1"},
    {"two spaces after the method", "GET  / HTTP/1.1\r\n\r\n", kNoTarget},
    {"two spaces after the target", "GET /  HTTP/1.1\r\n\r\n",
     "400 has an HTTP version other than 1.0 and 1.1"},
    {"a tab in the target", "GET /\tHTTP/1.1\r\n\r\n", kNotAscii},
    {"a tab before the version", "GET / \tHTTP/1.1\r\n\r\n",
     "400 has an HTTP version other than 1.0 and 1.1"},
    {"a NUL in the target", "GET /\0 HTTP/1.1\r\n\r\n"sv, kNotAscii},
    {"a DEL in the target", "GET /\x7F HTTP/1.1\r\n\r\n", kNotAscii},
    {"a letter beyond ASCII in the target", "GET /\xC3\xA9 HTTP/1.1\r\n\r\n", kNotAscii},
    {"a vertical tab in the target", "GET /\x0B HTTP/1.1\r\n\r\n", kNotAscii},
    {"a bare CR in the target", "GET /\rX HTTP/1.1\r\n\r\n", kNoVersion},
    {"a space in the target", "GET /a b HTTP/1.1\r\n\r\n",
     "400 has an HTTP version other than 1.0 and 1.1"},
    {"a space at the end", "GET / HTTP/1.1 \r\n\r\n", kWrongVersion},
    {"a second request line in the first", "GET / HTTP/1.1 GET /x HTTP/1.1\r\n\r\n", kWrongVersion},
    {"HTTP/1.2", "GET / HTTP/1.2\r\n\r\n", kWrongVersion},
    {"HTTP/1.10", "GET / HTTP/1.10\r\n\r\n", kWrongVersion},
    {"HTTP/1.", "GET / HTTP/1.\r\n\r\n", kWrongVersion},
    {"HTTP/01.1", "GET / HTTP/01.1\r\n\r\n", kWrongVersion},
    {"HTTP/2.0", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", kWrongVersion},
    {"HTTP/0.9 in words", "GET / HTTP/0.9\r\n\r\n", kWrongVersion},
    {"http/1.1", "GET / http/1.1\r\n\r\n", "400 has an HTTP version other than 1.0 and 1.1"},
    {"another protocol", "DESCRIBE rtsp://h/ RTSP/1.0\r\n\r\n",
     "400 has an HTTP version other than 1.0 and 1.1"},
    {"a bare LF after the start line", "GET / HTTP/1.1\nHost: h\r\n\r\n", kBareEnd},
    {"bare LFs everywhere", "GET / HTTP/1.1\nHost: h\n\n", kBareEnd},
    {"a bare LF after a header", "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n", kBareEnd},
    {"a bare LF at the end", "GET / HTTP/1.1\r\nA: b\r\n\n", kBareEnd},
    {"a bare CR after a header", "GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n", kBareEnd},
    {"a bare CR in a value", "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", kBareEnd},
    {"a bare CR at the end", "GET / HTTP/1.1\r\nA: b\r\n\rX", kBareEnd},
    {"CR CR LF", "GET / HTTP/1.1\r\r\n\r\n", kBareEnd},
    {"a folded header", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", kFolded},
    {"a folded header with a tab", "GET / HTTP/1.1\r\nA: b\r\n\tc\r\n\r\n", kFolded},
    {"a space before the first header", "GET / HTTP/1.1\r\n Host: h\r\n\r\n", kFolded},
    {"a line with a space", "GET / HTTP/1.1\r\n \r\n\r\n", kFolded},
    {"a space before the colon", "GET / HTTP/1.1\r\nContent-Length : 4\r\n\r\n", kWrongName},
    {"a tab before the colon", "GET / HTTP/1.1\r\nHost\t: h\r\n\r\n", kWrongName},
    {"a space in a name", "GET / HTTP/1.1\r\nX Host: h\r\n\r\n", kWrongName},
    {"no name", "GET / HTTP/1.1\r\n: h\r\n\r\n", kWrongName},
    {"a NUL in a name", "GET / HTTP/1.1\r\nHo\0st: h\r\n\r\n"sv, kWrongName},
    {"a vertical tab in a name", "GET / HTTP/1.1\r\n\x0BHost: h\r\n\r\n", kWrongName},
    {"a letter beyond ASCII in a name", "GET / HTTP/1.1\r\nH\xC3\xB6st: h\r\n\r\n", kWrongName},
    {"a name in quotes", "GET / HTTP/1.1\r\n\"Host\": h\r\n\r\n", kWrongName},
    {"no colon", "GET / HTTP/1.1\r\nHost\r\n\r\n", "400 has a header without a colon"},
    {"a request line in place of a header", "GET / HTTP/1.1\r\nGET / HTTP/1.1\r\n\r\n", kWrongName},
    {"a NUL in a value", "GET / HTTP/1.1\r\nA: b\0c\r\n\r\n"sv, kControl},
    {"a vertical tab in a value",
     "GET / HTTP/1.1\r\nA: \x0B"
     "chunked\r\n\r\n",
     kControl},
    {"a form feed in a value", "GET / HTTP/1.1\r\nA: chunked\x0C\r\n\r\n", kControl},
    {"a backspace in a value", "GET / HTTP/1.1\r\nA: \b\r\n\r\n", kControl},
    {"a DEL in a value", "GET / HTTP/1.1\r\nA: \x7F\r\n\r\n", kControl},
    {"an escape in a value", "GET / HTTP/1.1\r\nA: \x1B[2J\r\n\r\n", kControl},
};

constexpr std::string_view kNoStatus = "502 has no status between 100 and 599";

constexpr BadRow kBadResponses[] = {
    {"an empty line first", "\r\nHTTP/1.1 200 OK\r\n\r\n",
     "502 has an HTTP version other than 1.0 and 1.1"},
    {"a body only", "<html>", "502 has an HTTP version other than 1.0 and 1.1"},
    {"HTTP/2", "HTTP/2 200 OK\r\n\r\n", "502 has an HTTP version other than 1.0 and 1.1"},
    {"HTTP/1.2", "HTTP/1.2 200 OK\r\n\r\n", "502 has an HTTP version other than 1.0 and 1.1"},
    {"lower case", "http/1.1 200 OK\r\n\r\n", "502 has an HTTP version other than 1.0 and 1.1"},
    {"ICY", "ICY 200 OK\r\n\r\n", "502 has an HTTP version other than 1.0 and 1.1"},
    {"a longer version", "HTTP/1.11 200 OK\r\n\r\n", kNoStatus},
    {"no status", "HTTP/1.1\r\n\r\n", kNoStatus},
    {"a space only", "HTTP/1.1 \r\n\r\n", kNoStatus},
    {"two digits", "HTTP/1.1 20\r\n\r\n", kNoStatus},
    {"two digits and a reason", "HTTP/1.1 20 OK\r\n\r\n", kNoStatus},
    {"four digits", "HTTP/1.1 2000 OK\r\n\r\n", "502 has a status of more than three digits"},
    {"status 99", "HTTP/1.1 099 x\r\n\r\n", kNoStatus},
    {"status 600", "HTTP/1.1 600 x\r\n\r\n", kNoStatus},
    {"a sign", "HTTP/1.1 +20 x\r\n\r\n", kNoStatus},
    {"two spaces", "HTTP/1.1  200 OK\r\n\r\n", kNoStatus},
    {"a tab", "HTTP/1.1\t200 OK\r\n\r\n", kNoStatus},
    {"a tab after the status", "HTTP/1.1 200\tOK\r\n\r\n",
     "502 has a status of more than three digits"},
    {"a NUL in the reason", "HTTP/1.1 200 \0\r\n\r\n"sv,
     "502 has a control character in its reason"},
    {"a bare LF", "HTTP/1.1 200 OK\n\n", "502 has a line that does not end in CR LF"},
    {"a bare CR in the reason", "HTTP/1.1 200 OK\rSet-Cookie: a\r\n\r\n",
     "502 has a line that does not end in CR LF"},
    {"a folded header", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
     "502 has a header that is continued on another line"},
    {"a space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 1\r\n\r\n",
     "502 has a header whose name is not a token"},
};

// Checks that more bytes never change an error, so that no peer gets another answer by sending its
// bytes more slowly.
template <typename Function>
void CheckFirstError(std::string_view bytes, Function text_of) {
  const std::string want = text_of(bytes);
  bool is_bad = false;
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const std::string text = text_of(bytes.substr(0, size));
    is_bad = is_bad || text != "...";
    CAPTURE(size);
    CHECK(text == (is_bad ? want : "..."));
  }
  CHECK(is_bad);
}

}  // namespace

TEST_CASE("http head: a request has a method, a target, a version and headers") {
  struct Row {
    std::string_view bytes, want;
  };
  static constexpr Row kRows[] = {
      {kGoodRequests[0], "GET / 1.1"},
      {kGoodRequests[1], "GET /a?b=c%20d 1.0"},
      {kGoodRequests[2], "OPTIONS * 1.1|Host=h"},
      {kGoodRequests[3],
       "CONNECT forge.example:443 1.1|Host=forge.example:443|User-Agent=curl/8.5.0|"
       "Proxy-Connection=Keep-Alive"},
      {kGoodRequests[4], "M-SEARCH http://h/ 1.1|Host=h|X=tab \tand space|Empty=|Blank="},
      {kGoodRequests[5], "GET / 1.1|X=caf\xC3\xA9 \xFF|!#$%&'*+-.^_`|~09azAZ=colon:colon"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.want);
    const std::string want = std::string(row.want) + " " + std::to_string(row.bytes.size());
    CHECK(RequestText(row.bytes) == want);
    CHECK(RequestText(std::string(row.bytes) + "\0\n \r rest"s) == want);
  }
}

TEST_CASE("http head: a response has a version, a status, a reason and headers") {
  struct Row {
    std::string_view bytes, want;
  };
  static constexpr Row kRows[] = {
      {kGoodResponses[0], "1.1 200 [OK]"},
      {kGoodResponses[1], "1.0 404 [Not Found]|Server=x|Content-Length=0"},
      {kGoodResponses[2], "1.1 200 []|A=b"},
      {kGoodResponses[3], "1.1 599 []"},
      {kGoodResponses[4], "1.1 100 [Continue]"},
      {kGoodResponses[5], "1.1 301 [D\xC3\xA9plac\xE9 \t!]|Location=http://h/"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.want);
    const std::string want = std::string(row.want) + " " + std::to_string(row.bytes.size());
    CHECK(ResponseText(row.bytes) == want);
    CHECK(ResponseText(std::string(row.bytes) + "\0\n \r rest"s) == want);
  }
}

TEST_CASE("http head: each beginning of a good head needs more bytes") {
  for (const std::string_view bytes : kGoodRequests) CheckFirstError(bytes, RequestText);
  for (const std::string_view bytes : kGoodResponses) CheckFirstError(bytes, ResponseText);
}

TEST_CASE("http head: a request that two programs can read differently is refused") {
  for (const BadRow& row : kBadRequests) {
    CAPTURE(row.name);
    CHECK(RequestText(row.bytes) == row.want);
    CheckFirstError(row.bytes, RequestText);
  }
}

TEST_CASE("http head: a response that two programs can read differently is refused") {
  for (const BadRow& row : kBadResponses) {
    CAPTURE(row.name);
    CHECK(ResponseText(row.bytes) == row.want);
    CheckFirstError(row.bytes, ResponseText);
  }
}

TEST_CASE("http head: each control character is refused in a value, and each other byte passes") {
  for (int c = 0; c < 256; ++c) {
    CAPTURE(c);
    const std::string bytes = "GET / HTTP/1.1\r\nA: x" + std::string(1, static_cast<char>(c)) + "y";
    const bool is_valid = c == '\t' || c == '\r' || (c >= 0x20 && c != 0x7F);
    if (c == '\r') continue;  // ends the line
    CHECK((RequestText(bytes) == "...") == is_valid);
  }
}

TEST_CASE("http head: more than 64 KB is refused") {
  const std::string start = "GET / HTTP/1.1\r\nA: ";
  const std::string end = "\r\n\r\n";
  const std::string longest =
      start + std::string(kMaxHeadSize - start.size() - end.size(), 'x') + end;
  REQUIRE(longest.size() == kMaxHeadSize);
  CHECK(RequestText(longest).ends_with(" 65536"));
  CHECK(RequestText(longest + "more").ends_with(" 65536"));
  CHECK(RequestText(longest.substr(0, kMaxHeadSize - 1)) == "...");
  const std::string longer = start + std::string(kMaxHeadSize, 'x') + end;
  CHECK(RequestText(longer.substr(0, kMaxHeadSize - 1)) == "...");
  CHECK(RequestText(longer.substr(0, kMaxHeadSize)) == "431 has a head of more than 64 KB");
  CHECK(RequestText(longer) == "431 has a head of more than 64 KB");
  const std::string endless(kMaxHeadSize, 'G');
  CHECK(RequestText(endless) == "431 has a head of more than 64 KB");
  CHECK(ResponseText("HTTP/1.1 200 " + endless) == "502 has a head of more than 64 KB");
}

TEST_CASE("http head: more than 100 headers are refused") {
  std::string head = "GET / HTTP/1.1\r\n";
  for (size_t i = 0; i < kMaxHeaders; ++i) head += "A:\r\n";
  CHECK(RequestText(head) == "...");
  CHECK(RequestText(head + "\r") == "...");
  CHECK(RequestText(head + "\r\n").ends_with("|A= 418"));
  CHECK(RequestText(head + "B") == "431 has more than 100 headers");
  CHECK(RequestText(head + "B:\r\n\r\n") == "431 has more than 100 headers");
}

TEST_CASE("http head: a head is left alone until it is complete") {
  RequestHead head{.method = "old", .target = "old", .headers = {{"a", "b"}}, .size = 7};
  WireError error;
  CHECK(ParseRequestHead("GET / HTTP/1.0\r\nA: b\r\n", head, error) == Progress::kNeedsMore);
  CHECK(ParseRequestHead("GET / HTTP/1.0\r\nA: b\r\n\n", head, error) == Progress::kBad);
  CHECK(head.method == "old");
  CHECK(head.size == 7);
  CHECK(ParseRequestHead("GET / HTTP/1.0\r\n\r\n", head, error) == Progress::kDone);
  CHECK(head.headers.empty());
  CHECK(head.size == 18);
}

TEST_CASE("http head: names are equal in either case") {
  CHECK(IsHeader("Content-Length", "content-length"));
  CHECK(IsHeader("HOST", "Host"));
  CHECK(IsHeader("", ""));
  CHECK_FALSE(IsHeader("Host", "Hosts"));
  CHECK_FALSE(IsHeader("Host:", "Host"));
  CHECK_FALSE(IsHeader("Content_Length", "Content-Length"));
  CHECK_FALSE(IsHeader("@ost", "`ost"));
}

TEST_CASE("http head: the only header of a name") {
  const std::vector<HttpHeader> headers = {{"A", "1"}, {"B", "2"}, {"a", "3"}, {"C", ""}};
  size_t count = 7;
  CHECK(OnlyHeader(headers, "a", count) == nullptr);
  CHECK(count == 2);
  CHECK(OnlyHeader(headers, "b", count) == &headers[1]);
  CHECK(count == 1);
  CHECK(OnlyHeader(headers, "D", count) == nullptr);
  CHECK(count == 0);
}

TEST_CASE("http head: a token has no separators") {
  CHECK(IsToken("!#$%&'*+-.^_`|~09azAZ"));
  CHECK_FALSE(IsToken(""));
  for (const char c : "\0\t\r\n \"(),/:;<=>?@[\\]{}\x7F\x80\xFF"sv) {
    CAPTURE(static_cast<int>(c));
    CHECK_FALSE(IsToken(std::string("a") + c));
  }
}
