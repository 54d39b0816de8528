// Parses the head of an HTTP/1.x message (RFC 9112). Stricter than the RFC wherever two programs
// are known to disagree about where a message ends or whom it is for: what this accepts has one
// reading.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "proxy/wire/parsed.h"

namespace ringfence {

constexpr size_t kMaxHeadSize = size_t{64} * 1024;  // bytes, with the empty line
constexpr size_t kMaxHeaders = 100;

// Views into the parsed bytes.
struct HttpHeader {
  std::string_view name;   // as written; compare with IsHeader()
  std::string_view value;  // without white space around it
};

struct RequestHead {
  std::string_view method;
  std::string_view target;  // as written; not empty, visible ASCII only
  int minor_version = 1;    // HTTP/1.x
  std::vector<HttpHeader> headers;
  size_t size = 0;  // bytes of the head, with the empty line
};

struct ResponseHead {
  int minor_version = 1;
  int status = 0;  // 100 to 599
  std::string_view reason;
  std::vector<HttpHeader> headers;
  size_t size = 0;
};

// Each parses the head at the beginning of `bytes`, which may be followed by anything. `head` and
// `error` are set on kDone and kBad. Returns kBad as soon as the beginning cannot become a valid
// head: after kMaxHeadSize bytes without an empty line, after a bare LF or CR, NUL, or an unknown
// version. An empty line before the start line is not skipped.
Progress ParseRequestHead(std::string_view bytes, RequestHead& head, WireError& error);
Progress ParseResponseHead(std::string_view bytes, ResponseHead& head, WireError& error);

// Compares names without regard to letter case.
bool IsHeader(std::string_view name, std::string_view wanted);
// Returns the only header of that name; nullptr if there is none or more than one (`count` says).
const HttpHeader* OnlyHeader(const std::vector<HttpHeader>& headers, std::string_view name,
                             size_t& count);

// True for a token of RFC 9110, 5.6.2.
bool IsToken(std::string_view text);

}  // namespace ringfence
