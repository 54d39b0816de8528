#include "sandbox/linux/gateway.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/syscall.h"
#include "proxy/link/messages.h"
#include "sandbox/linux/netlink.h"
#include "sandbox/linux/privileges.h"

namespace ringfence {
namespace {

// Unique local addresses (RFC 4193) for the link; commands use them only to reach the gateway.
constexpr std::array<uint8_t, 16> kInner6 = {0xFD, 0x72, 0x66, 0, 0, 0, 0, 0,
                                             0,    0,    0,    0, 0, 0, 0, 1};
constexpr std::array<uint8_t, 16> kGateway6 = {0xFD, 0x72, 0x66, 0, 0, 0, 0, 0,
                                               0,    0,    0,    0, 0, 0, 0, 2};
constexpr MacAddress kInnerMac = {0x02, 0x72, 0x66, 0, 0, 1};  // locally administered
constexpr MacAddress kGatewayMac = {0x02, 0x72, 0x66, 0, 0, 2};
constexpr uint8_t kLinkPrefix = 30;
constexpr uint8_t kLinkPrefix6 = 126;
constexpr uint16_t kDnsPort = 53;
constexpr int kWaitingConnections = 1024;

UniqueFd CurrentNetwork() { return OpenFile("/proc/thread-self/ns/net", O_RDONLY); }

template <typename Address>
bool BindTo(const UniqueFd& socket, const Address& address) {
  const void* bytes = &address;
  return ::bind(socket.get(), static_cast<const sockaddr*>(bytes), sizeof address) == 0;
}

// A socket for IPv6 and IPv4, or for IPv4 where the kernel has no IPv6.
Result<UniqueFd> OpenOn(int type, uint16_t port) {
  constexpr int kFlags = SOCK_CLOEXEC | SOCK_NONBLOCK;
  UniqueFd socket(::socket(AF_INET6, type | kFlags, 0));
  const int off = 0;
  const int on = 1;
  // A connection of an earlier listener at this port may still be open.
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (socket.valid() &&
      ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    if (BindTo(socket, address)) return socket;
    // Without IPv6 addresses ("disable_ipv6") the kernel binds no IPv6 socket.
    if (errno != EADDRNOTAVAIL) return SystemError("bind(" + std::to_string(port) + ")");
  }
  socket = UniqueFd(::socket(AF_INET, type | kFlags, 0));
  if (!socket.valid()) return SystemError("socket(gateway)");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (!BindTo(socket, address)) return SystemError("bind(" + std::to_string(port) + ")");
  return socket;
}

Result<UniqueFd> ListenOnLoopback(uint16_t port) {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return SystemError("socket(proxy)");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!BindTo(socket, address)) return SystemError("bind(proxy)");
  if (::listen(socket.get(), kWaitingConnections) != 0) return SystemError("listen(proxy)");
  return socket;
}

// A datagram socket that tells to which address a datagram was sent.
Result<UniqueFd> OpenDns() {
  Result<UniqueFd> socket = OpenOn(SOCK_DGRAM, kDnsPort);
  if (!socket) return socket;
  const int on = 1;
  ::setsockopt(socket->get(), IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  ::setsockopt(socket->get(), IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
  return socket;
}

class GatewayBuilder {
 public:
  explicit GatewayBuilder(std::span<const uint16_t> ports) : ports_(ports) {}

  Result<Gateway> Build() {
    gateway_.inner = CurrentNetwork();
    if (!gateway_.inner.valid()) return SystemError("open(own network)");
    if (Status s = Take(kExplicitListener, ListenOnLoopback(kExplicitPort)); !s) return s.error();
    if (Status s = Connect(); !s) return s.error();
    if (Status s = Take(kDnsDatagrams, OpenDns()); !s) return s.error();
    if (Status s = Take(kDnsListener, ListenOn(kDnsPort)); !s) return s.error();
    for (const uint16_t port : ports_) {
      if (port == kDnsPort) continue;  // whatever the policy lists, the resolver has it
      if (Status s = Take(std::to_string(port), ListenOn(port)); !s) return s.error();
    }
    return std::move(gateway_);
  }

 private:
  Status Take(std::string_view name, Result<UniqueFd> socket) {
    if (!socket) return socket.error();
    gateway_.sockets.push_back({std::string(name), std::move(*socket)});
    return Unit{};
  }

  // Moves to the gateway and joins it with the first namespace. Where that is impossible, stays.
  Status Connect() {
    Result<NetlinkSocket> inside = NetlinkSocket::Open();
    if (!inside) return inside.error();
    if (::unshare(CLONE_NEWNET) != 0) return SystemError("unshare(network)");
    if (Status s = RaiseLoopback(); !s) return s;
    Result<NetlinkSocket> gateway = NetlinkSocket::Open();
    if (!gateway) return gateway.error();
    Status pair = gateway->AddVethPair({"inner", kGatewayMac}, {"eth0", kInnerMac}, gateway_.inner);
    if (!pair && pair.error().code == EOPNOTSUPP) return Stay();
    if (!pair) return pair;
    if (Status s = JoinIpv4(*inside, *gateway); !s) return s;
    [[maybe_unused]] const Status ipv6 = JoinIpv6(*inside, *gateway);  // a kernel may have none
    return Unit{};
  }

  Status Stay() {
    gateway_.is_shared = true;
    if (::setns(gateway_.inner.get(), CLONE_NEWNET) != 0) return SystemError("setns(network)");
    Result<NetlinkSocket> socket = NetlinkSocket::Open();
    if (!socket) return socket.error();
    if (Status s = socket->AddAddress(kLoopbackIndex, kInnerAddress, 32); !s) return s;
    [[maybe_unused]] const Status ipv6 = socket->MakeAllLocal(true);
    return socket->MakeAllLocal(false);
  }

  Status JoinIpv4(NetlinkSocket& inside, NetlinkSocket& gateway) const {
    if (Status s = gateway.AddAddress(kLinkIndex, kGatewayAddress, kLinkPrefix); !s) return s;
    if (Status s = inside.AddAddress(kLinkIndex, kInnerAddress, kLinkPrefix); !s) return s;
    if (Status s = gateway.RaiseLink(kLinkIndex); !s) return s;
    if (Status s = inside.RaiseLink(kLinkIndex); !s) return s;
    if (Status s = gateway.AddNeighbour(kLinkIndex, kInnerAddress, kInnerMac); !s) return s;
    if (Status s = inside.AddNeighbour(kLinkIndex, kGatewayAddress, kGatewayMac); !s) return s;
    if (Status s = inside.AddDefaultRoute(kLinkIndex, kGatewayAddress); !s) return s;
    return gateway.MakeAllLocal(false);
  }

  Status JoinIpv6(NetlinkSocket& inside, NetlinkSocket& gateway) const {
    if (Status s = gateway.AddAddress(kLinkIndex, kGateway6, kLinkPrefix6); !s) return s;
    if (Status s = inside.AddAddress(kLinkIndex, kInner6, kLinkPrefix6); !s) return s;
    if (Status s = gateway.AddNeighbour(kLinkIndex, kInner6, kInnerMac); !s) return s;
    if (Status s = inside.AddNeighbour(kLinkIndex, kGateway6, kGatewayMac); !s) return s;
    if (Status s = inside.AddDefaultRoute(kLinkIndex, kGateway6); !s) return s;
    return gateway.MakeAllLocal(true);
  }

  std::span<const uint16_t> ports_;
  Gateway gateway_;
};

}  // namespace

Result<UniqueFd> ListenOn(uint16_t port) {
  Result<UniqueFd> socket = OpenOn(SOCK_STREAM, port);
  if (!socket) return socket;
  if (::listen(socket->get(), kWaitingConnections) != 0) {
    return SystemError("listen(" + std::to_string(port) + ")");
  }
  return socket;
}

bool LacksVeth() {
  constexpr int kLacks = 1;
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0 || !RaiseLoopback()) ::_exit(0);
    const Result<Gateway> gateway = BuildGateway({});
    ::_exit(gateway && gateway->is_shared ? kLacks : 0);
  }
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == kLacks;
}

Result<Gateway> BuildGateway(std::span<const uint16_t> ports) {
  return GatewayBuilder(ports).Build();
}

}  // namespace ringfence
