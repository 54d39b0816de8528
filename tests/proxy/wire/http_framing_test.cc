#include <doctest/doctest.h>

#include <string>

#include "proxy/wire/http_body.h"

using namespace ringfence;
using namespace std::literals;

namespace {

std::string FramingText(const BodyFraming& framing) {
  switch (framing.kind) {
    case BodyFraming::Kind::kNone:
      return "none";
    case BodyFraming::Kind::kLength:
      return std::to_string(framing.length);
    case BodyFraming::Kind::kChunked:
      return "chunked";
    case BodyFraming::Kind::kUntilClose:
      return "until close";
  }
  return "";
}

std::string ErrorText(const WireError& error) {
  return std::to_string(error.status) + " " + error.reason;
}

// The framing of a request with these header lines, or why it is refused; a bad head is "head".
std::string RequestFraming(std::string_view lines, std::string_view version = "1.1") {
  const std::string bytes =
      "POST / HTTP/" + std::string(version) + "\r\n" + std::string(lines) + "\r\n";
  RequestHead head;
  WireError error;
  if (ParseRequestHead(bytes, head, error) != Progress::kDone) return "head";
  BodyFraming framing;
  return FrameRequestBody(head, framing, error) ? FramingText(framing) : ErrorText(error);
}

std::string ResponseFraming(std::string_view bytes, std::string_view method) {
  ResponseHead head;
  WireError error;
  REQUIRE(ParseResponseHead(bytes, head, error) == Progress::kDone);
  BodyFraming framing;
  return FrameResponseBody(head, method, framing, error) ? FramingText(framing) : ErrorText(error);
}

constexpr std::string_view kBadLength =
    "400 has a Content-Length that is not a number or is too large";
constexpr std::string_view kBadCoding = "501 has a Transfer-Encoding other than chunked";
constexpr std::string_view kBoth = "400 has Content-Length and Transfer-Encoding headers";
constexpr std::string_view kLookalike =
    "400 has a header that looks like Content-Length or Transfer-Encoding";
constexpr std::string_view kSeveralLengths = "400 has several Content-Length headers";
constexpr std::string_view kSeveralCodings = "400 has several Transfer-Encoding headers";

}  // namespace

TEST_CASE("http body: a request has at most one length or the coding chunked") {
  struct Row {
    std::string_view name;
    std::string_view lines, want;
  };
  static constexpr Row kRows[] = {
      {"neither", "Host: h\r\n", "none"},
      {"a length", "Content-Length: 5\r\n", "5"},
      {"zero", "Content-Length: 0\r\n", "0"},
      {"white space around it", "content-length: \t 5 \t\r\n", "5"},
      {"zeros in front", "Content-Length: 0005\r\n", "5"},
      {"the largest", "Content-Length: 9223372036854775807\r\n", "9223372036854775807"},
      {"too large", "Content-Length: 9223372036854775808\r\n", kBadLength},
      {"2^64", "Content-Length: 18446744073709551616\r\n", kBadLength},
      {"2^64 + 5", "Content-Length: 18446744073709551621\r\n", kBadLength},
      {"many digits", "Content-Length: 11111111111111111111111111111111111\r\n", kBadLength},
      {"empty", "Content-Length:\r\n", kBadLength},
      {"white space", "Content-Length: \t\r\n", kBadLength},
      {"a plus", "Content-Length: +5\r\n", kBadLength},
      {"a minus", "Content-Length: -5\r\n", kBadLength},
      {"minus zero", "Content-Length: -0\r\n", kBadLength},
      {"a space", "Content-Length: 5 0\r\n", kBadLength},
      {"hexadecimal", "Content-Length: 0x5\r\n", kBadLength},
      {"hexadecimal without 0x", "Content-Length: a\r\n", kBadLength},
      {"a list", "Content-Length: 5, 6\r\n", kBadLength},
      {"a list of equals", "Content-Length: 5, 5\r\n", kBadLength},
      {"a comma", "Content-Length: 5,\r\n", kBadLength},
      {"a fraction", "Content-Length: 5.0\r\n", kBadLength},
      {"an exponent", "Content-Length: 5e1\r\n", kBadLength},
      {"a separator", "Content-Length: 1_0\r\n", kBadLength},
      {"quotes", "Content-Length: \"5\"\r\n", kBadLength},
      {"a parameter", "Content-Length: 5;x\r\n", kBadLength},
      {"digits beyond ASCII", "Content-Length: \xEF\xBC\x95\r\n", kBadLength},
      {"a no-break space", "Content-Length: 5\xC2\xA0\r\n", kBadLength},
      {"a NUL", "Content-Length: 5\0\r\n"sv, "head"},
      {"a vertical tab",
       "Content-Length: \x0B"
       "5\r\n",
       "head"},
      {"two", "Content-Length: 5\r\nContent-Length: 6\r\n", kSeveralLengths},
      {"two equals", "Content-Length: 5\r\ncontent-length: 5\r\n", kSeveralLengths},
      {"two, apart", "Content-Length: 5\r\nA: b\r\nCONTENT-LENGTH: 0\r\n", kSeveralLengths},
      {"an underscore", "Content_Length: 5\r\n", kLookalike},
      {"an underscore beside a length", "Content-Length: 5\r\ncontent_length: 6\r\n", kLookalike},
      {"a space before the colon", "Content-Length : 5\r\n", "head"},
      {"a fold", "Content-Length: 5\r\n 6\r\n", "head"},
      {"another name", "X-Content-Length: 5\r\n", "none"},

      {"chunked", "Transfer-Encoding: chunked\r\n", "chunked"},
      {"chunked in upper case", "TRANSFER-ENCODING: CHUNKED\r\n", "chunked"},
      {"chunked after a tab", "Transfer-Encoding:\tchunked\t\r\n", "chunked"},
      {"gzip", "Transfer-Encoding: gzip\r\n", kBadCoding},
      {"identity", "Transfer-Encoding: identity\r\n", kBadCoding},
      {"gzip, chunked", "Transfer-Encoding: gzip, chunked\r\n", kBadCoding},
      {"chunked, identity", "Transfer-Encoding: chunked, identity\r\n", kBadCoding},
      {"identity, chunked", "Transfer-Encoding: identity, chunked\r\n", kBadCoding},
      {"chunked, chunked", "Transfer-Encoding: chunked, chunked\r\n", kBadCoding},
      {"a comma after it", "Transfer-Encoding: chunked,\r\n", kBadCoding},
      {"a comma before it", "Transfer-Encoding: ,chunked\r\n", kBadCoding},
      {"empty", "Transfer-Encoding:\r\n", kBadCoding},
      {"xchunked", "Transfer-Encoding: xchunked\r\n", kBadCoding},
      {"chunkedx", "Transfer-Encoding: chunkedx\r\n", kBadCoding},
      {"chunk", "Transfer-Encoding: chunk\r\n", kBadCoding},
      {"a parameter", "Transfer-Encoding: chunked;q=1\r\n", kBadCoding},
      {"quotes", "Transfer-Encoding: \"chunked\"\r\n", kBadCoding},
      {"apostrophes", "Transfer-Encoding: 'chunked'\r\n", kBadCoding},
      {"a space in it", "Transfer-Encoding: chu nked\r\n", kBadCoding},
      {"a no-break space",
       "Transfer-Encoding: \xA0"
       "chunked\r\n",
       kBadCoding},
      {"a letter that folds to k",
       "Transfer-Encoding: chun\xE2\x84\xAA"
       "ed\r\n",
       kBadCoding},
      {"a vertical tab",
       "Transfer-Encoding: \x0B"
       "chunked\r\n",
       "head"},
      {"a vertical tab after it", "Transfer-Encoding: chunked\x0B\r\n", "head"},
      {"a form feed", "Transfer-Encoding: chunked\x0C\r\n", "head"},
      {"a NUL", "Transfer-Encoding: chunked\0\r\n"sv, "head"},
      {"a bare CR", "Transfer-Encoding: chunked\rX\r\n", "head"},
      {"a bare LF before it", "X: y\nTransfer-Encoding: chunked\r\n", "head"},
      {"a space before the colon", "Transfer-Encoding : chunked\r\n", "head"},
      {"a space before the name", " Transfer-Encoding: chunked\r\n", "head"},
      {"a fold", "Transfer-Encoding:\r\n chunked\r\n", "head"},
      {"a fold after a header", "X: y\r\n Transfer-Encoding: chunked\r\n", "head"},
      {"two", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", kSeveralCodings},
      {"two, one unknown", "Transfer-Encoding: chunked\r\nTransfer-encoding: x\r\n",
       kSeveralCodings},
      {"two, one empty", "Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n", kSeveralCodings},
      {"an underscore", "Transfer_Encoding: chunked\r\n", kLookalike},
      {"another name", "X-Transfer-Encoding: chunked\r\n", "none"},

      {"CL.TE", "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", kBoth},
      {"TE.CL", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", kBoth},
      {"CL.0", "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n", kBoth},
      {"a length and a wrong coding", "Content-Length: 6\r\nTransfer-Encoding: x\r\n", kBoth},
      {"a wrong length and a coding", "Content-Length: x\r\nTransfer-Encoding: chunked\r\n", kBoth},
      {"a length and two codings",
       "Content-Length: 6\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n",
       kSeveralCodings},
      {"a length and an underscore", "Content-Length: 6\r\nTransfer_Encoding: chunked\r\n",
       kLookalike},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CAPTURE(row.lines);
    CHECK(RequestFraming(row.lines) == row.want);
  }
}

TEST_CASE("http body: HTTP/1.0 has lengths, but no chunks") {
  CHECK(RequestFraming("Content-Length: 5\r\n", "1.0") == "5");
  CHECK(RequestFraming("", "1.0") == "none");
  CHECK(RequestFraming("Transfer-Encoding: chunked\r\n", "1.0") ==
        "400 has Transfer-Encoding in HTTP/1.0");
}

TEST_CASE("http body: the end of a response depends on the request and the status") {
  struct Row {
    std::string_view name;
    std::string_view method, bytes, want;
  };
  static constexpr Row kRows[] = {
      {"a length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "5"},
      {"chunks", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "chunked"},
      {"neither", "GET", "HTTP/1.1 200 OK\r\n\r\n", "until close"},
      {"neither, in HTTP/1.0", "GET", "HTTP/1.0 200 OK\r\n\r\n", "until close"},
      {"a length in HTTP/1.0", "GET", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n", "5"},
      {"HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "none"},
      {"HEAD with chunks", "HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "none"},
      {"HEAD with neither", "HEAD", "HTTP/1.1 404 Not Found\r\n\r\n", "none"},
      {"HEAD with both", "HEAD",
       "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", "none"},
      {"head in lower case", "head", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "5"},
      {"204 with a length", "GET", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "none"},
      {"204 with chunks", "DELETE", "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n",
       "none"},
      {"304 with a length", "GET", "HTTP/1.1 304 x\r\nContent-Length: 5\r\n\r\n", "none"},
      {"100 with a length", "POST", "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n", "none"},
      {"103", "GET", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", "none"},
      {"101", "GET", "HTTP/1.1 101 x\r\nUpgrade: websocket\r\n\r\n", "none"},
      {"205", "GET", "HTTP/1.1 205 x\r\nContent-Length: 0\r\n\r\n", "0"},
      {"a tunnel", "CONNECT", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "none"},
      {"no tunnel", "CONNECT", "HTTP/1.1 403 No\r\nContent-Length: 5\r\n\r\n", "5"},
      {"both", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
       "502 has Content-Length and Transfer-Encoding headers"},
      {"two lengths", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
       "502 has several Content-Length headers"},
      {"a list of lengths", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n",
       "502 has a Content-Length that is not a number or is too large"},
      {"gzip", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
       "502 has a Transfer-Encoding other than chunked"},
      {"chunks in HTTP/1.0", "GET", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
       "502 has Transfer-Encoding in HTTP/1.0"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CHECK(ResponseFraming(row.bytes, row.method) == row.want);
  }
}
