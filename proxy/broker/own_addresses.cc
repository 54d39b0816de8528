#include "proxy/broker/own_addresses.h"

#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "base/syscall.h"

namespace ringfence {
namespace {

UniqueFd OpenNotices() {
  UniqueFd notices(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE));
  sockaddr_nl place{};
  place.nl_family = AF_NETLINK;
  place.nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
  const void* name = &place;
  const bool is_bound = notices.valid() && ::bind(notices.get(), static_cast<const sockaddr*>(name),
                                                  sizeof place) == 0;
  if (!is_bound) return {};
  return notices;
}

std::optional<Address> InterfaceAddress(const sockaddr* name) {
  Address address{};
  if (name == nullptr) return {};  // an interface without an address
  if (name->sa_family == AF_INET6) {
    sockaddr_in6 ipv6;
    std::memcpy(&ipv6, name, sizeof ipv6);
    std::memcpy(address.data(), &ipv6.sin6_addr, address.size());
    return address;
  }
  if (name->sa_family != AF_INET) return {};
  sockaddr_in ipv4;
  std::memcpy(&ipv4, name, sizeof ipv4);
  address[10] = address[11] = 0xFF;
  std::memcpy(address.data() + 12, &ipv4.sin_addr, sizeof ipv4.sin_addr);
  return address;
}

Result<std::vector<Address>> ReadInterfaces() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return SystemError("getifaddrs");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, &::freeifaddrs);
  std::vector<Address> found;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (const std::optional<Address> address = InterfaceAddress(one->ifa_addr))
      found.push_back(*address);
  }
  return found;
}

}  // namespace

OwnAddresses::OwnAddresses() : changes_(OpenNotices()) {}

// Takes the notices before the interfaces are read, so that a later change leaves another one. An
// error, such as ENOBUFS, means that notices may have been lost.
bool OwnAddresses::HaveChanged() {
  if (!changes_.valid()) return true;
  bool changed = false;
  std::array<char, 4096> notice;
  while (::recv(changes_.get(), notice.data(), notice.size(), 0) >= 0) changed = true;
  return changed || errno != EAGAIN;
}

Result<bool> OwnAddresses::Contains(const Address& address) {
  if (HaveChanged() || !is_known_) {
    is_known_ = false;
    if (Status s = ReadInterfaces().MoveTo(known_); !s) return s.error();
    is_known_ = true;
  }
  return std::ranges::find(known_, address) != known_.end();
}

}  // namespace ringfence
