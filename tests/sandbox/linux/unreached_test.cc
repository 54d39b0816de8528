#include "sandbox/linux/unreached.h"

#include <doctest/doctest.h>

#include <string>

using namespace ringfence;

namespace {

// As Linux 6.1 writes them, with fewer columns.
constexpr std::string_view kSnmp =
    "Ip: Forwarding DefaultTTL OutDiscards OutNoRoutes ReasmTimeout\n"
    "Ip: 2 64 0 3 0\n"
    "Tcp: RtoAlgorithm MaxConn\n"
    "Tcp: 1 -1\n"
    "Udp: InDatagrams NoPorts InErrors\n"
    "Udp: 7 2 0\n";
constexpr std::string_view kSnmp6 =
    "Ip6OutRequests                  \t9\n"
    "Ip6OutNoRoutes                  \t4\n"
    "Udp6NoPorts                     \t1\n";

}  // namespace

TEST_CASE("unreached: the kernel's counts for both protocols are added") {
  const Unreached both = UnreachedIn(kSnmp, kSnmp6);
  CHECK(both.without_route == 7);
  CHECK(both.without_port == 3);
  CHECK(UnreachedIn(kSnmp, "").without_route == 3);  // a kernel without IPv6
  for (const std::string_view text : {"", "Ip:", "Ip: OutNoRoutes", "Ip: OutNoRoutes\nIp:",
                                      "Ip: OutNoRoutes\nIp: x\n", "Ip: Forwarding\nIp: 2\n"}) {
    CAPTURE(text);
    CHECK(UnreachedIn(text, text).without_route == 0);
  }
}

TEST_CASE("unreached: datagrams to the loopback mean a lookup only if the resolver is there") {
  CHECK_FALSE(TriedHosts({}, "nameserver 127.0.0.53\n"));
  CHECK(TriedHosts({.without_route = 1}, ""));
  const Unreached datagram{.without_port = 1};
  CHECK_FALSE(TriedHosts(datagram, ""));
  CHECK_FALSE(
      TriedHosts(datagram, "# nameserver 127.0.0.1\nnameserver 192.0.2.1\nsearch 127.0.0.1"));
  CHECK(TriedHosts(datagram, "search a.example\nnameserver 127.0.0.53\n"));
  CHECK(TriedHosts(datagram, "nameserver\t::1"));
  CHECK(TriedHosts(Unreached{.without_route = 1}));
  CHECK_FALSE(TriedHosts(Unreached{}));
}

TEST_CASE("unreached: what the supervisor sends is read as numbers") {
  CHECK(Unreached::Of("3", "4").without_route == 3);
  CHECK(Unreached::Of("3", "4").without_port == 4);
  CHECK(Unreached::Of("", "-1").without_route == 0);
  CHECK(Unreached::Of("", "-1").without_port == 0);
  CHECK(ReadUnreached().without_port + 1 > 0);  // of this process: any number
}
