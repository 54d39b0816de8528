#include "proxy/wire/http_body.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace ringfence;
using namespace std::literals;

namespace {

// Reads a body whose bytes come in pieces. The text is its payload, then "|" and what follows it if
// it is complete, "..." if it is not, "!" and the reason if it is bad.
std::string BodyText(BodyFraming framing, std::string_view bytes, size_t piece) {
  BodyReader reader(framing);
  std::string buffer;
  std::string text;
  WireError error;
  while (true) {
    size_t used = 0;
    std::string_view payload;
    const Progress progress = reader.Read(buffer, used, payload, error);
    CHECK(reader.is_done() == (progress == Progress::kDone));
    text += payload;
    if (progress == Progress::kBad) return text + "!" + error.reason;
    buffer.erase(0, used);
    if (progress == Progress::kDone) return text + "|" + buffer + std::string(bytes);
    if (used > 0) continue;
    if (bytes.empty()) return text + "...";
    buffer += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
}

constexpr size_t kPieces[] = {1, 2, 3, 7, 1000, 100000};

constexpr BodyFraming kChunks{.kind = BodyFraming::Kind::kChunked};

BodyFraming LengthOf(uint64_t length) {
  return {.kind = BodyFraming::Kind::kLength, .length = length};
}

}  // namespace

TEST_CASE("http body: chunks are taken apart, however the bytes are cut") {
  struct Row {
    std::string_view name;
    std::string_view bytes, want;
  };
  static constexpr Row kRows[] = {
      {"nothing yet", "", "..."},
      {"one chunk", "5\r\nhello\r\n0\r\n\r\nGET /", "hello|GET /"},
      {"two chunks", "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", "hello!|"},
      {"no chunk", "0\r\n\r\n0\r\n\r\n", "|0\r\n\r\n"},
      {"line ends in a chunk", "6\r\n\r\n0\r\n\r\r\n0\r\n\r\n", "\r\n0\r\n\r|"},
      {"a NUL in a chunk", "3\r\na\0b\r\n0\r\n\r\n"sv, "a\0b|"sv},
      {"hexadecimal digits", "A\r\n0123456789\r\nb\r\n0123456789a\r\n0\r\n\r\n",
       "01234567890123456789a|"},
      {"zeros in front", "0000000000000001\r\nx\r\n000\r\n\r\n", "x|"},
      {"too many zeros in front", "00000000000000001\r\nx\r\n", "!has a chunk that is too large"},
      {"extensions", "1;a;b=c;d=\"e f\"\r\nx\r\n0;last\r\n\r\n", "x|"},
      {"an extension beyond ASCII", "1;\xC3\xA9\t\r\nx\r\n0\r\n\r\n", "x|"},
      {"trailers", "1\r\nx\r\n0\r\nA: b\r\nContent-Length: 5\r\n\r\nrest", "x|rest"},
      {"incomplete size", "5", "..."},
      {"a CR after the size", "5\r", "..."},
      {"incomplete data", "5\r\nhel", "hel..."},
      {"incomplete end of the data", "5\r\nhello\r", "hello..."},
      {"incomplete trailers", "0\r\nA: b\r\n\r", "..."},

      {"no size", "\r\nx", "!has a chunk size that is not a hexadecimal number"},
      {"an extension without a size", ";x\r\n",
       "!has a chunk size that is not a hexadecimal number"},
      {"0x", "0x5\r\nhello\r\n", "!has a chunk size that is not a hexadecimal number"},
      {"a plus", "+5\r\nhello\r\n", "!has a chunk size that is not a hexadecimal number"},
      {"a minus", "-1\r\nhello\r\n", "!has a chunk size that is not a hexadecimal number"},
      {"a space before the size", " 5\r\nhello\r\n",
       "!has a chunk size that is not a hexadecimal number"},
      {"a space after the size", "5 \r\nhello\r\n",
       "!has a chunk size that is not a hexadecimal number"},
      {"a tab after the size", "5\t;x\r\nhello\r\n",
       "!has a chunk size that is not a hexadecimal number"},
      {"an underscore", "1_0\r\nhello\r\n", "!has a chunk size that is not a hexadecimal number"},
      {"a comma", "5,5\r\nhello\r\n", "!has a chunk size that is not a hexadecimal number"},
      {"another letter", "5g\r\nhello\r\n", "!has a chunk size that is not a hexadecimal number"},
      {"a NUL after the size", "5\0\r\nhello\r\n"sv,
       "!has a chunk size that is not a hexadecimal number"},
      {"the largest size", "7fffffffffffffff\r\nx", "x..."},
      {"a size that is too large before it is wrong", "ffffffffffffffff|",
       "!has a chunk that is too large"},
      {"2^63", "8000000000000000\r\nx", "!has a chunk that is too large"},
      {"2^64 - 1", "ffffffffffffffff\r\nx", "!has a chunk that is too large"},
      {"2^64", "10000000000000000\r\n\r\n", "!has a chunk that is too large"},
      {"2^64 + 5", "10000000000000005\r\nhello\r\n", "!has a chunk that is too large"},
      {"a size with a bare LF", "5\nhello\r\n", "!has a chunk size that does not end in CR LF"},
      {"a size with a bare CR", "5\rhello\r\n", "!has a chunk size that does not end in CR LF"},
      {"CR CR LF", "5\r\r\nhello\r\n", "!has a chunk size that does not end in CR LF"},
      {"a bare LF in an extension", "5;a\nhello\r\n",
       "!has a chunk size that does not end in CR LF"},
      {"a bare CR in an extension", "5;a\rb\r\nhello\r\n",
       "!has a chunk size that does not end in CR LF"},
      {"a line end in a quoted extension", "5;a=\"\n\"\r\nhello\r\n",
       "!has a chunk size that does not end in CR LF"},
      {"a NUL in an extension", "5;a\0\r\nhello\r\n"sv,
       "!has a control character in a chunk extension"},
      {"no end of the data", "5\r\nhello0\r\n\r\n",
       "hello!has a chunk that is not followed by CR LF"},
      {"a bare LF after the data", "5\r\nhello\n0\r\n\r\n",
       "hello!has a chunk that is not followed by CR LF"},
      {"a bare CR after the data", "5\r\nhello\r0\r\n\r\n",
       "hello!has a chunk that is not followed by CR LF"},
      {"two line ends after the data", "5\r\nhello\r\n\r\n0\r\n\r\n",
       "hello!has a chunk size that is not a hexadecimal number"},
      {"more data than the size", "5\r\nhello, world\r\n0\r\n\r\n",
       "hello!has a chunk that is not followed by CR LF"},
      {"a bare LF at the end", "0\r\n\n", "!has a trailer that does not end in CR LF"},
      {"a bare CR at the end", "0\r\n\rX", "!has a trailer that does not end in CR LF"},
      {"a bare LF after a trailer", "0\r\nA: b\nC: d\r\n\r\n",
       "!has a trailer that does not end in CR LF"},
      {"a request in place of trailers", "0\r\nGET / HTTP/1.1\r\n\r\n",
       "!has a header whose name is not a token"},
      {"a folded trailer", "0\r\nA: b\r\n c\r\n\r\n",
       "!has a header that is continued on another line"},
      {"a trailer without a colon", "0\r\nA\r\n\r\n", "!has a header without a colon"},
      {"a NUL in a trailer", "0\r\nA: \0\r\n\r\n"sv, "!has a control character in a header"},
  };
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    for (const size_t piece : kPieces) {
      CAPTURE(piece);
      CHECK(BodyText(kChunks, row.bytes, piece) == row.want);
    }
  }
}

TEST_CASE("http body: a line of a chunk has at most 1 KB") {
  const std::string longest = "1;" + std::string(1020, 'x') + "\r\n";
  const std::string rest = "y\r\n0\r\n\r\n";
  for (const size_t piece : kPieces) {
    CAPTURE(piece);
    CHECK(BodyText(kChunks, longest + rest, piece) == "y|");
    CHECK(BodyText(kChunks, longest.substr(0, 1023), piece) == "...");
    const std::string longer = "1;" + std::string(1022, 'x');
    CHECK(BodyText(kChunks, longer, piece) == "!has a chunk with more than 1 KB of extensions");
    CHECK(BodyText(kChunks, longer + "\r\n" + rest, piece) ==
          "!has a chunk with more than 1 KB of extensions");
  }
}

TEST_CASE("http body: trailers have at most 8 KB together") {
  const std::string line = "A: " + std::string(1019, 'x') + "\r\n";
  REQUIRE(line.size() == 1024);
  std::string seven;
  for (int i = 0; i < 7; ++i) seven += line;
  const std::string shorter = "B: " + std::string(1017, 'x') + "\r\n";
  for (const size_t piece : kPieces) {
    CAPTURE(piece);
    CHECK(BodyText(kChunks, "0\r\n" + seven + shorter + "\r\nrest", piece) == "|rest");
    CHECK(BodyText(kChunks, "0\r\n" + seven + line, piece) == "!has more than 8 KB of trailers");
    CHECK(BodyText(kChunks, "0\r\n" + seven + line + "\r\n", piece) ==
          "!has more than 8 KB of trailers");
    CHECK(BodyText(kChunks, "0\r\nA: " + std::string(9000, 'x'), piece) ==
          "!has more than 8 KB of trailers");
  }
}

TEST_CASE("http body: a length ends the body, and a close ends one without a length") {
  for (const size_t piece : kPieces) {
    CAPTURE(piece);
    CHECK(BodyText(LengthOf(5), "helloGET", piece) == "hello|GET");
    CHECK(BodyText(LengthOf(5), "hel", piece) == "hel...");
    CHECK(BodyText(LengthOf(0), "GET", piece) == "|GET");
    CHECK(BodyText(BodyFraming{}, "GET", piece) == "|GET");
    CHECK(BodyText({.kind = BodyFraming::Kind::kUntilClose}, "a\r\n0\r\n\r\n", piece) ==
          "a\r\n0\r\n\r\n...");
  }
}

TEST_CASE("http body: the last piece of payload comes with the end") {
  BodyReader reader(LengthOf(3));
  size_t used = 0;
  std::string_view payload;
  WireError error;
  CHECK(reader.Read("ab", used, payload, error) == Progress::kNeedsMore);
  CHECK(payload == "ab");
  CHECK(used == 2);
  CHECK(reader.Read("cd", used, payload, error) == Progress::kDone);
  CHECK(payload == "c");
  CHECK(used == 1);
  CHECK(reader.Read("d", used, payload, error) == Progress::kDone);
  CHECK(payload.empty());
  CHECK(used == 0);
}

TEST_CASE("http body: what ChunkLine writes, BodyReader reads") {
  CHECK(ChunkLine(1) == "1\r\n");
  CHECK(ChunkLine(0xABC) == "abc\r\n");
  CHECK(ChunkLine(UINT64_MAX) == "ffffffffffffffff\r\n");
  const std::string payload(300, 'x');
  const std::string body = ChunkLine(300) + payload + "\r\n" + std::string(kLastChunk);
  CHECK(BodyText(kChunks, body, 1000) == payload + "|");
}
