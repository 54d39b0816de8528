#include "proxy/wire/http_body.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include "base/ascii.h"
#include "base/read_number.h"
#include "proxy/wire/http_line.h"

namespace ringfence {
namespace {

constexpr uint64_t kMaxBody = std::numeric_limits<int64_t>::max();
constexpr size_t kMaxChunkLine = 1024;  // bytes with CRLF
constexpr size_t kMaxTrailers = size_t{8} * 1024;

// Gateways turn "-" and "_" into the same character (RFC 3875, 4.1.18), so a host may read
// "Content_Length" as Content-Length.
bool LooksLike(std::string_view name, std::string_view wanted) {
  const bool is_equal = std::ranges::equal(
      name, wanted, [](char a, char b) { return ToLower(a == '_' ? '-' : a) == ToLower(b); });
  return is_equal && !IsHeader(name, wanted);
}

bool ReadBodyLength(std::string_view text, uint64_t& length) {
  return std::ranges::all_of(text, IsDigit) && ReadNumber(text, length) && length <= kMaxBody;
}

bool FrameHttpBody(const std::vector<HttpHeader>& headers, int minor_version, BodyFraming& framing,
                   WireError& error) {
  constexpr std::string_view kLength = "Content-Length";
  constexpr std::string_view kCoding = "Transfer-Encoding";
  for (const HttpHeader& header : headers) {
    if (LooksLike(header.name, kLength) || LooksLike(header.name, kCoding)) {
      return RefuseHttp(error, "has a header that looks like Content-Length or Transfer-Encoding");
    }
  }
  size_t lengths = 0;
  size_t codings = 0;
  const HttpHeader* length = OnlyHeader(headers, kLength, lengths);
  const HttpHeader* coding = OnlyHeader(headers, kCoding, codings);
  if (lengths > 1) return RefuseHttp(error, "has several Content-Length headers");
  if (codings > 1) return RefuseHttp(error, "has several Transfer-Encoding headers");
  if (length != nullptr && coding != nullptr) {
    return RefuseHttp(error, "has Content-Length and Transfer-Encoding headers");
  }
  framing = {};
  if (coding != nullptr) {
    if (minor_version == 0) return RefuseHttp(error, "has Transfer-Encoding in HTTP/1.0");
    // Names of codings are equal in either case (RFC 9112, 7). The head is rewritten, so the next
    // reader sees lower case.
    if (!IsHeader(coding->value, "chunked")) {
      return RefuseHttp(error, "has a Transfer-Encoding other than chunked", 501);
    }
    framing.kind = BodyFraming::Kind::kChunked;
  }
  if (length != nullptr) {
    if (!ReadBodyLength(length->value, framing.length)) {
      return RefuseHttp(error, "has a Content-Length that is not a number or is too large");
    }
    framing.kind = BodyFraming::Kind::kLength;
  }
  return true;
}

// Reads the size and checks the extensions, also if the line is not whole.
bool ReadChunkSize(const HttpLine& line, uint64_t& size, WireError& error) {
  constexpr size_t kMostDigits = 16;
  const auto* const digits_end =
      std::ranges::find_if(line.text, [](char c) { return HexValue(c) < 0; });
  const auto digits = static_cast<size_t>(digits_end - line.text.begin());
  const std::string_view extensions = line.text.substr(digits);
  size = 0;
  if (digits <= kMostDigits) std::from_chars(line.text.data(), digits_end, size, 16);
  if (digits > kMostDigits || size > kMaxBody) {
    return RefuseHttp(error, "has a chunk that is too large", 413);
  }
  const bool is_empty = digits == 0 && (line.is_whole || !line.text.empty());
  if (is_empty || (!extensions.empty() && extensions[0] != ';')) {
    return RefuseHttp(error, "has a chunk size that is not a hexadecimal number");
  }
  return IsFieldText(extensions) ||
         RefuseHttp(error, "has a control character in a chunk extension");
}

}  // namespace

bool FrameRequestBody(const RequestHead& head, BodyFraming& framing, WireError& error) {
  return FrameHttpBody(head.headers, head.minor_version, framing, error);
}

bool FrameResponseBody(const ResponseHead& head, std::string_view method, BodyFraming& framing,
                       WireError& error) {
  framing = {};
  const bool is_interim = head.status < 200;
  const bool opens_tunnel = method == "CONNECT" && head.status < 300;
  if (method == "HEAD" || is_interim || opens_tunnel || head.status == 204 || head.status == 304) {
    return true;
  }
  if (!FrameHttpBody(head.headers, head.minor_version, framing, error)) {
    error.status = 502;
    return false;
  }
  if (framing.kind == BodyFraming::Kind::kNone) framing.kind = BodyFraming::Kind::kUntilClose;
  return true;
}

BodyReader::BodyReader(BodyFraming framing) {
  switch (framing.kind) {
    case BodyFraming::Kind::kNone:
      break;
    case BodyFraming::Kind::kLength:
      left_ = framing.length;
      if (left_ > 0) state_ = State::kData;
      break;
    case BodyFraming::Kind::kChunked:
      chunked_ = true;
      state_ = State::kSize;
      break;
    case BodyFraming::Kind::kUntilClose:
      state_ = State::kUntilClose;
      break;
  }
}

Progress BodyReader::Read(std::string_view bytes, size_t& used, std::string_view& payload,
                          WireError& error) {
  used = 0;
  payload = {};
  while (!is_done()) {
    size_t size = 0;
    if (!ReadPart(bytes.substr(used), size, payload, error)) return Progress::kBad;
    used += size;
    if (size == 0) return Progress::kNeedsMore;
    if (!payload.empty()) break;
  }
  return is_done() ? Progress::kDone : Progress::kNeedsMore;
}

bool BodyReader::ReadPart(std::string_view bytes, size_t& size, std::string_view& payload,
                          WireError& error) {
  switch (state_) {
    case State::kSize:
      return ReadSize(bytes, size, error);
    case State::kData:
      size = static_cast<size_t>(std::min<uint64_t>(left_, bytes.size()));
      payload = bytes.substr(0, size);
      left_ -= size;
      if (left_ == 0) state_ = chunked_ ? State::kDataEnd : State::kDone;
      return true;
    case State::kDataEnd:
      return ReadDataEnd(bytes, size, error);
    case State::kTrailers:
      return ReadTrailer(bytes, size, error);
    case State::kUntilClose:
      size = bytes.size();
      payload = bytes;
      return true;
    case State::kDone:
      break;
  }
  return true;
}

bool BodyReader::ReadSize(std::string_view bytes, size_t& size, WireError& error) {
  bytes = bytes.substr(0, kMaxChunkLine);
  const HttpLine line = FirstHttpLine(bytes);
  if (!ReadChunkSize(line, left_, error)) return false;
  if (line.end == HttpLine::End::kBare) {
    return RefuseHttp(error, "has a chunk size that does not end in CR LF");
  }
  if (line.end == HttpLine::End::kOpen) {
    return bytes.size() < kMaxChunkLine ||
           RefuseHttp(error, "has a chunk with more than 1 KB of extensions");
  }
  size = line.size;
  state_ = left_ == 0 ? State::kTrailers : State::kData;
  return true;
}

bool BodyReader::ReadDataEnd(std::string_view bytes, size_t& size, WireError& error) {
  constexpr std::string_view kEnd = "\r\n";
  if (bytes.starts_with(kEnd)) {
    size = kEnd.size();
    state_ = State::kSize;
    return true;
  }
  return kEnd.starts_with(bytes) || RefuseHttp(error, "has a chunk that is not followed by CR LF");
}

bool BodyReader::ReadTrailer(std::string_view bytes, size_t& size, WireError& error) {
  bytes = bytes.substr(0, kMaxTrailers - trailer_bytes_);
  const HttpLine line = FirstHttpLine(bytes);
  HttpHeader field;
  if (!line.text.empty() && !ReadHttpField(line, field, error)) return false;
  if (line.end == HttpLine::End::kBare) {
    return RefuseHttp(error, "has a trailer that does not end in CR LF");
  }
  if (line.end == HttpLine::End::kOpen) {
    return trailer_bytes_ + bytes.size() < kMaxTrailers ||
           RefuseHttp(error, "has more than 8 KB of trailers", 431);
  }
  size = line.size;
  trailer_bytes_ += size;
  if (line.text.empty()) state_ = State::kDone;
  return true;
}

bool BodyReader::is_done() const { return state_ == State::kDone; }

std::string ChunkLine(uint64_t size) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), size, 16).ptr;
  return std::string(digits.begin(), end) + "\r\n";
}

}  // namespace ringfence
