// Connects sockets to the log's receiver, and reports network errors by name.
#pragma once

#include <sys/socket.h>

#include "base/result.h"
#include "base/unique_fd.h"
#include "cli/log/syslog_message.h"

namespace ringfence {

constexpr int kSeconds = 10;  // time limit for the other side

// An address of any family.
struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  const sockaddr* get() const {
    const void* address = &bytes;
    return static_cast<const sockaddr*>(address);
  }
};

Result<Address> ResolveTarget(const LogTarget& target);

// `type` is as in socket(2).
Result<UniqueFd> ConnectTo(const Address& address, int type);

Error ReceiverError(const char* call, int code);

}  // namespace ringfence
