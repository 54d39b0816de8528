// Sockets that are closed on exec. Writing to a socket whose other end is closed must not raise
// SIGPIPE: use MSG_NOSIGNAL if the system has it (on macOS, both functions set SO_NOSIGPIPE).
#pragma once

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

struct SocketPair {
  UniqueFd own, other;
};

// As socket(2). An invalid descriptor leaves the cause in errno.
UniqueFd NewSocket(int domain, int type);

// Two connected Unix sockets. `type` is SOCK_STREAM or SOCK_SEQPACKET.
Result<SocketPair> MakeSocketPair(int type);

}  // namespace ringfence
