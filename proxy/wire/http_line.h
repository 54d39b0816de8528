// Lines and fields of HTTP/1.x (RFC 9112, 2.2 and 5), as heads, chunks and trailers share them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "proxy/wire/http_head.h"
#include "proxy/wire/parsed.h"

namespace ringfence {

struct HttpLine {
  enum class End : uint8_t {
    kOpen,  // the bytes end in the line or after its CR
    kCrLf,
    kBare,  // a CR or LF without the other: programs disagree about where this line ends
  };
  std::string_view text;  // without its end
  bool is_whole = false;  // a CR follows the text
  End end = End::kOpen;
  size_t size = 0;  // bytes with CRLF, if `end` is kCrLf
};

HttpLine FirstHttpLine(std::string_view bytes);

// Reads "name: value". If the line is not whole, reads its beginning; returns false if no
// continuation is valid.
bool ReadHttpField(const HttpLine& line, HttpHeader& field, WireError& error);

void AppendHttpField(std::string& out, std::string_view name, std::string_view value);

// True for the characters of a field value: horizontal tabs, and all but control characters.
bool IsFieldText(std::string_view text);
// Removes spaces and horizontal tabs from both ends.
std::string_view TrimHttpSpace(std::string_view text);

// Sets `error`; returns false.
bool RefuseHttp(WireError& error, std::string_view reason, uint16_t status = 400);

}  // namespace ringfence
