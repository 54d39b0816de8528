// Builds a sandbox's network: the namespace of its processes (this one), and the gateway, a second
// namespace in which every address is local. A pair of devices joins the two and is the default
// route of the first. So a connection to any host arrives at a listener in the gateway, and the
// processes have their own ports and a private loopback.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

struct NamedSocket {
  std::string name;  // as in HolderMessage::kNetwork
  UniqueFd fd;
};

struct Gateway {
  UniqueFd inner;  // the processes' network namespace
  std::vector<NamedSocket> sockets;
  // The kernel has no veth devices, so the listeners are in the processes' own namespace: their
  // ports are taken there.
  bool is_shared = false;
};

// Takes a new network namespace whose loopback is up, and moves the calling process to the gateway.
// `ports` are those of the listeners. Needs CAP_SYS_ADMIN and CAP_NET_ADMIN over the namespace.
Result<Gateway> BuildGateway(std::span<const uint16_t> ports);

// True if BuildGateway() would find no veth devices. Makes namespaces in a child process, which
// takes milliseconds; false where that is impossible.
bool LacksVeth();

// Listens on all addresses of the current namespace.
Result<UniqueFd> ListenOn(uint16_t port);

}  // namespace ringfence
