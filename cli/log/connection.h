// Sockets to whoever receives the log, connected, with the network's errors by their names.
#pragma once

#include <sys/socket.h>

#include "base/result.h"
#include "base/unique_fd.h"
#include "cli/log/syslog_message.h"

namespace ringfence {

constexpr int kSeconds = 10;  // for whatever the other side has to do

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

// `type` is that of socket(2).
Result<UniqueFd> ConnectTo(const Address& address, int type);

Error ReceiverError(const char* call, int code);

}  // namespace ringfence
