// What travels one way between a program and a host that speak HTTP: read from one socket, taken
// apart, and written to the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/wire/http_body.h"

namespace ringfence {

struct HttpWay {
  std::string in;   // read, and not yet understood
  std::string out;  // to be written
  std::optional<BodyReader> body;
  bool chunked = false;  // the body is written in chunks
  bool is_done = true;   // the message has passed completely
  uint64_t passed = 0;   // bytes written, for the log
  size_t searched = 0;   // bytes of `in` without a line feed

  // True when the first bytes or another line of a head have arrived. Parsing after every byte
  // would be slow.
  bool ShouldParse();
  // Moves what is understood of `in` to `out`. Returns false for a broken body.
  bool TakeBody(WireError& error);
  // Frees what is empty: a client may hold hundreds of connections between two requests.
  void Release();

 private:
  void AddPayload(std::string_view payload);
};

}  // namespace ringfence
