#include "sandbox/linux/netlink.h"

#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/syscall.h"

namespace ringfence {
namespace {

// Packets need not fit a real network, so fewer and larger ones are faster.
constexpr uint32_t kPacketSize = 65520;

uint8_t FamilyOf(IpBytes address) { return address.size() == 4 ? AF_INET : AF_INET6; }

}  // namespace

// A message with attributes that can be nested (netlink(7)).
class NetlinkSocket::Request {
 public:
  template <typename Body>
  Request(uint16_t type, uint16_t flags, const Body& body) {
    nlmsghdr header{};
    header.nlmsg_type = type;
    header.nlmsg_flags = static_cast<uint16_t>(flags | NLM_F_REQUEST | NLM_F_ACK);
    Append(&header, sizeof header);
    Append(&body, sizeof body);
  }

  size_t Begin(uint16_t type) {
    const size_t at = bytes_.size();
    rtattr attribute{};
    attribute.rta_type = type;
    Append(&attribute, sizeof attribute);
    return at;
  }
  void End(size_t at) {
    const auto size = static_cast<unsigned short>(bytes_.size() - at);
    std::memcpy(bytes_.data() + at + offsetof(rtattr, rta_len), &size, sizeof size);
    bytes_.resize(NLMSG_ALIGN(bytes_.size()));
  }
  void Add(uint16_t type, const void* data, size_t size) {
    const size_t at = Begin(type);
    bytes_.append(static_cast<const char*>(data), size);
    End(at);
  }
  template <typename T>
  void Add(uint16_t type, const T& value) {
    Add(type, &value, sizeof value);
  }
  void AddText(uint16_t type, std::string_view text) {
    Add(type, std::string(text).c_str(), text.size() + 1);
  }
  // Appends a structure that an attribute contains.
  void Append(const void* data, size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
    bytes_.resize(NLMSG_ALIGN(bytes_.size()));
  }

  std::string Finish() const {
    std::string bytes = bytes_;
    const auto size = static_cast<uint32_t>(bytes.size());
    std::memcpy(bytes.data() + offsetof(nlmsghdr, nlmsg_len), &size, sizeof size);
    return bytes;
  }

 private:
  std::string bytes_;
};

Result<NetlinkSocket> NetlinkSocket::Open() {
  UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!socket.valid()) return SystemError("socket(netlink)");
  return NetlinkSocket(std::move(socket));
}

// The kernel handles the request during send(2), and the socket gets no other messages.
Status NetlinkSocket::Send(const Request& request, const char* what) {
  const std::string bytes = request.Finish();
  if (::send(socket_.get(), bytes.data(), bytes.size(), 0) < 0) return SystemError(what);
  alignas(nlmsghdr) std::array<char, 4096> answer{};
  const ssize_t got = ::recv(socket_.get(), answer.data(), answer.size(), 0);
  if (got < 0) return SystemError(what);
  nlmsghdr header{};
  nlmsgerr error{};
  if (static_cast<size_t>(got) < NLMSG_HDRLEN + sizeof error) return SystemError(what, EPROTO);
  std::memcpy(&header, answer.data(), sizeof header);
  std::memcpy(&error, answer.data() + NLMSG_HDRLEN, sizeof error);
  if (header.nlmsg_type != NLMSG_ERROR) return SystemError(what, EPROTO);
  return error.error == 0 ? Status(Unit{}) : SystemError(what, -error.error);
}

Status NetlinkSocket::AddVethPair(const VethEnd& own, const VethEnd& peer,
                                  const UniqueFd& peer_namespace) {
  ifinfomsg link{};
  link.ifi_index = kLinkIndex;
  Request request(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, link);
  const auto describe = [&](const VethEnd& end) {
    request.AddText(IFLA_IFNAME, end.name);
    request.Add(IFLA_ADDRESS, end.mac);
    request.Add(IFLA_MTU, kPacketSize);
  };
  describe(own);
  const size_t info = request.Begin(IFLA_LINKINFO);
  request.AddText(IFLA_INFO_KIND, "veth");
  const size_t data = request.Begin(IFLA_INFO_DATA);
  const size_t other = request.Begin(VETH_INFO_PEER);
  request.Append(&link, sizeof link);
  describe(peer);
  request.Add(IFLA_NET_NS_FD, peer_namespace.get());
  request.End(other);
  request.End(data);
  request.End(info);
  return Send(request, "netlink(create veth)");
}

Status NetlinkSocket::RaiseLink(int index) {
  ifinfomsg link{};
  link.ifi_index = index;
  link.ifi_flags = IFF_UP;
  link.ifi_change = IFF_UP;
  return Send(Request(RTM_NEWLINK, 0, link), "netlink(device up)");
}

Status NetlinkSocket::AddAddress(int index, IpBytes address, uint8_t prefix) {
  ifaddrmsg entry{};
  entry.ifa_family = FamilyOf(address);
  entry.ifa_prefixlen = prefix;
  entry.ifa_index = static_cast<uint32_t>(index);
  entry.ifa_flags = IFA_F_NODAD;  // an IPv6 address is otherwise unusable for a second
  Request request(RTM_NEWADDR, NLM_F_CREATE, entry);
  request.Add(IFA_LOCAL, address.data(), address.size());
  request.Add(IFA_ADDRESS, address.data(), address.size());
  return Send(request, "netlink(add address)");
}

Status NetlinkSocket::AddNeighbour(int index, IpBytes address, const MacAddress& mac) {
  ndmsg entry{};
  entry.ndm_family = FamilyOf(address);
  entry.ndm_ifindex = index;
  entry.ndm_state = NUD_PERMANENT;
  Request request(RTM_NEWNEIGH, NLM_F_CREATE, entry);
  request.Add(NDA_DST, address.data(), address.size());
  request.Add(NDA_LLADDR, mac);
  return Send(request, "netlink(add neighbour)");
}

Status NetlinkSocket::AddDefaultRoute(int index, IpBytes gateway) {
  rtmsg entry{};
  entry.rtm_family = FamilyOf(gateway);
  entry.rtm_table = RT_TABLE_MAIN;
  entry.rtm_protocol = RTPROT_BOOT;
  entry.rtm_type = RTN_UNICAST;
  Request request(RTM_NEWROUTE, NLM_F_CREATE, entry);
  request.Add(RTA_OIF, index);
  request.Add(RTA_GATEWAY, gateway.data(), gateway.size());
  return Send(request, "netlink(add default route)");
}

Status NetlinkSocket::MakeAllLocal(bool ipv6) {
  rtmsg entry{};
  entry.rtm_family = ipv6 ? AF_INET6 : AF_INET;
  entry.rtm_table = RT_TABLE_MAIN;
  entry.rtm_protocol = RTPROT_BOOT;
  entry.rtm_type = RTN_LOCAL;
  entry.rtm_scope = RT_SCOPE_HOST;
  Request request(RTM_NEWROUTE, NLM_F_CREATE, entry);
  request.Add(RTA_OIF, kLoopbackIndex);
  return Send(request, "netlink(add local route)");
}

}  // namespace ringfence
