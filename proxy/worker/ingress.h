// How connections from the sandbox come in: transparently, at a listener in the gateway, or at the
// explicit proxy port.
#pragma once

#include <memory>

#include "proxy/name_map.h"
#include "proxy/worker/service.h"

namespace ringfence {

// `client` is nonblocking; its own address is where the program believes to be connected.
void AcceptTransparent(Service& service, const NameMap& names, TcpSocket client);

// HTTP with CONNECT, or SOCKS5: the first byte tells which.
void AcceptExplicit(Service& service, TcpSocket client);

}  // namespace ringfence
