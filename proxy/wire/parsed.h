// The result of an incremental parser, which is called again with the same bytes and more.
#pragma once

#include <cstdint>
#include <string>

namespace ringfence {

enum class Progress : uint8_t {
  kNeedsMore,  // the bytes are a valid beginning
  kDone,
  kBad,  // no continuation would be valid
};

// Why bytes were refused. `reason` is a sentence without a subject that continues "the request
// ...": "has two Content-Length headers". It never contains bytes of the peer.
struct WireError {
  std::string reason;
  uint16_t status = 400;  // HTTP status that fits (RFC 9110), where the peer speaks HTTP
  // The peer does nothing wrong: it sends its credential once it has been asked.
  bool is_routine = false;
};

}  // namespace ringfence
