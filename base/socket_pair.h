// Two connected Unix sockets, closed on exec. Writing to one whose other end has gone must not
// raise SIGPIPE: use MSG_NOSIGNAL where there is one (macOS sets it up here).
#pragma once

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

struct SocketPair {
  UniqueFd own, other;
};

// `type` is SOCK_STREAM or SOCK_SEQPACKET.
Result<SocketPair> MakeSocketPair(int type);

}  // namespace ringfence
