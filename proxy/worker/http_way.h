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

// What a read has come upon.
enum class Arrival : uint8_t {
  kBytes,
  kNothing,  // yet
  kEnd,      // closed in order: all has come
  kFailure,  // a reset or the like: something may be missing
};

struct HttpWay {
  std::string in;   // read, and not yet understood
  std::string out;  // to be written
  std::optional<BodyReader> body;
  bool chunked = false;  // the body is written in chunks
  bool is_done = true;   // the message has passed completely
  uint64_t passed = 0;   // bytes written, for the log
  size_t searched = 0;   // bytes of `in` without a line feed

  // Reads once from a nonblocking socket.
  Arrival ReadFrom(int socket);
  // Writes what the socket takes now of `out`, and removes it. Returns false once the socket takes
  // nothing any more.
  bool WriteTo(int socket);
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
