// Messages between cooperating processes on a SOCK_SEQPACKET socket: one packet per message. A
// message has a type, text fields without NUL, and descriptors.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

struct SocketMessage {
  char type = 0;
  std::vector<std::string> fields;
  std::vector<UniqueFd> fds;  // closed on exec
};

constexpr size_t kMaxSocketMessage = 32768;   // bytes, with the type and a NUL after each field
constexpr size_t kMaxSocketMessageFds = 253;  // SCM_MAX_FD of the kernel

// Fails with EMSGSIZE if the message is too large. Raises no SIGPIPE.
Status SendSocketMessage(int socket, char type, std::span<const std::string_view> fields,
                         std::span<const int> fds = {});

// Waits for a message unless the socket is nonblocking (EAGAIN). Fails with EPIPE if the other side
// is closed.
Result<SocketMessage> ReceiveSocketMessage(int socket);

}  // namespace ringfence
