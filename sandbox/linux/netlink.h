// Configures network devices, addresses and routes of the current network namespace (rtnetlink(7)).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

using MacAddress = std::array<uint8_t, 6>;
using IpBytes = std::span<const uint8_t>;  // 4 or 16

constexpr int kLoopbackIndex = 1;  // in every namespace
constexpr int kLinkIndex = 1000;   // both ends of AddVethPair(); other devices have low numbers

class NetlinkSocket {
 public:
  // The socket stays in the namespace in which it was opened.
  static Result<NetlinkSocket> Open();

  struct VethEnd {
    std::string_view name;
    MacAddress mac;
  };
  // Creates a pair of connected devices: `own` in this namespace, `peer` in that of
  // `peer_namespace`.
  Status AddVethPair(const VethEnd& own, const VethEnd& peer, const UniqueFd& peer_namespace);

  Status RaiseLink(int index);
  Status AddAddress(int index, IpBytes address, uint8_t prefix);
  // Nothing needs to be asked on the link, where only one neighbour exists.
  Status AddNeighbour(int index, IpBytes address, const MacAddress& mac);
  Status AddDefaultRoute(int index, IpBytes gateway);
  // Makes every address local: "ip route add local default dev lo".
  Status MakeAllLocal(bool ipv6);

 private:
  class Request;
  explicit NetlinkSocket(UniqueFd socket) : socket_(std::move(socket)) {}
  Status Send(const Request& request, const char* what);

  UniqueFd socket_;
};

}  // namespace ringfence
