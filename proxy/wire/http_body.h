// The body of an HTTP/1.x message: where it ends (RFC 9112, 6), and its payload. Nothing is
// buffered: payload is passed on in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/wire/http_head.h"
#include "proxy/wire/parsed.h"

namespace ringfence {

struct BodyFraming {
  enum class Kind : uint8_t { kNone, kLength, kChunked, kUntilClose };
  Kind kind = Kind::kNone;
  uint64_t length = 0;  // bytes, if kind is kLength

  bool operator==(const BodyFraming&) const = default;
};

// Both return false and set `error` if the framing could be read in two ways: Content-Length with
// Transfer-Encoding, more than one of either (even if equal), a Content-Length that is not plain
// digits or exceeds 2^63-1, a Transfer-Encoding other than "chunked" (in upper or lower case), any
// Transfer-Encoding in HTTP/1.0, and either name with "_" for "-".
bool FrameRequestBody(const RequestHead& head, BodyFraming& framing, WireError& error);
// A response to HEAD, and 1xx, 204 and 304, have no body whatever their headers say. Nor has a 2xx
// response to CONNECT.
bool FrameResponseBody(const ResponseHead& head, std::string_view method, BodyFraming& framing,
                       WireError& error);

// Takes a body apart. Chunk extensions and trailers are checked and dropped.
class BodyReader {
 public:
  explicit BodyReader(BodyFraming framing);

  // Reads the beginning of `bytes`. Sets `payload` to a piece of it (maybe empty) and `used` to the
  // number of bytes that the caller must drop before the next call. Returns kDone at the end of the
  // body, maybe with the last piece; the rest of `bytes` then belongs to the next message. With
  // kUntilClose there is no kDone. A chunk-size line longer than 1 KB (extensions included), a bare
  // LF, a size beyond 2^63-1 or of more than 16 digits, or trailers of more than 8 KB are kBad.
  // kNeedsMore with `used` above 0 means: call again with what is left, which may be enough. If
  // `used` is 0, more bytes are needed; at most 8 KB are ever left.
  Progress Read(std::string_view bytes, size_t& used, std::string_view& payload, WireError& error);

  bool is_done() const;

 private:
  enum class State : uint8_t { kSize, kData, kDataEnd, kTrailers, kUntilClose, kDone };

  // Each reads the next part of the body, or the beginning of its line, and sets `size` to the
  // bytes that it used; 0 if the part is incomplete. False if no continuation is valid.
  bool ReadPart(std::string_view bytes, size_t& size, std::string_view& payload, WireError& error);
  bool ReadSize(std::string_view bytes, size_t& size, WireError& error);
  bool ReadDataEnd(std::string_view bytes, size_t& size, WireError& error);
  bool ReadTrailer(std::string_view bytes, size_t& size, WireError& error);

  State state_ = State::kDone;
  bool chunked_ = false;
  uint64_t left_ = 0;  // bytes of payload in this chunk or body
  size_t trailer_bytes_ = 0;
};

// Returns the line that precedes a chunk of `size` bytes; CRLF follows the chunk. The caller writes
// no empty chunk: it would end the body.
std::string ChunkLine(uint64_t size);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

}  // namespace ringfence
