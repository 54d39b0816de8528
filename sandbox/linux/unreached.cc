#include "sandbox/linux/unreached.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/read_number.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

std::string_view TakeWord(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

uint64_t CountIn(std::string_view word) {
  uint64_t number = 0;
  return ReadNumber(word, number) ? number : 0;
}

// snmp has two lines for each protocol: "Ip: Forwarding ... OutNoRoutes" and "Ip: 2 ... 7".
uint64_t SnmpCount(std::string_view text, std::string_view protocol, std::string_view name) {
  while (!text.empty()) {
    std::string_view names = TakeUntil(text, '\n');
    if (TakeWord(names) != protocol) continue;
    std::string_view values = TakeUntil(text, '\n');
    TakeWord(values);
    while (!names.empty()) {
      const std::string_view value = TakeWord(values);
      if (TakeWord(names) == name) return CountIn(value);
    }
    return 0;
  }
  return 0;
}

// snmp6 has a line for each count: "Ip6OutNoRoutes   7".
uint64_t Snmp6Count(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = TakeUntil(text, '\n');
    if (TakeWord(line) == name) return CountIn(TakeWord(line));
  }
  return 0;
}

bool NamesLoopback(std::string_view resolv_conf) {
  while (!resolv_conf.empty()) {
    std::string_view line = TakeUntil(resolv_conf, '\n');
    if (TakeWord(line) != "nameserver") continue;
    const std::string_view address = TakeWord(line);
    if (address.starts_with("127.") || address == "::1") return true;
  }
  return false;
}

std::string TextOrNone(const char* path) {
  Result<std::string> text = ReadSystemFile(path);
  return text ? std::move(*text) : "";
}

}  // namespace

Unreached UnreachedIn(std::string_view snmp, std::string_view snmp6) {
  return {
      .without_route = SnmpCount(snmp, "Ip:", "OutNoRoutes") + Snmp6Count(snmp6, "Ip6OutNoRoutes"),
      .without_port = SnmpCount(snmp, "Udp:", "NoPorts") + Snmp6Count(snmp6, "Udp6NoPorts")};
}

Unreached ReadUnreached() {
  return UnreachedIn(TextOrNone("/proc/self/net/snmp"), TextOrNone("/proc/self/net/snmp6"));
}

Unreached Unreached::Of(std::string_view without_route, std::string_view without_port) {
  return {.without_route = CountIn(without_route), .without_port = CountIn(without_port)};
}

bool TriedHosts(const Unreached& unreached, std::string_view resolv_conf) {
  return unreached.without_route > 0 || (unreached.without_port > 0 && NamesLoopback(resolv_conf));
}

bool TriedHosts(const Unreached& unreached) {
  const bool needs_file = unreached.without_route == 0 && unreached.without_port > 0;
  return TriedHosts(unreached, needs_file ? TextOrNone("/etc/resolv.conf") : "");
}

}  // namespace ringfence
