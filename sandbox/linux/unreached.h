// Finds out afterwards whether programs in a network namespace without a route tried to reach
// hosts: the kernel counts the packets that it could not route.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringfence {

struct Unreached {
  uint64_t without_route = 0;  // connections and datagrams to other hosts
  uint64_t without_port = 0;   // datagrams to ports of the loopback at which nothing listens

  // Reads two numbers. Other text counts as 0.
  static Unreached Of(std::string_view without_route, std::string_view without_port);
};

// Reads /proc/self/net/snmp and snmp6: the counts of the caller's network namespace. Counts that
// cannot be read are 0.
Unreached ReadUnreached();

// The same for the texts of these files (proc_pid_net(5)).
Unreached UnreachedIn(std::string_view snmp, std::string_view snmp6);

// True if a program tried to reach a host or to look one up. Datagrams to the loopback mean that
// only if the host's resolver is there; `resolv_conf` is the text of resolv.conf(5).
bool TriedHosts(const Unreached& unreached, std::string_view resolv_conf);
bool TriedHosts(const Unreached& unreached);  // by the host's /etc/resolv.conf

}  // namespace ringfence
