// Decides whether a host may be reached at a port. This is the only place that applies the rules
// for hosts. It does not parse URLs; evaluate_url.h does so and calls this, as does all code that
// opens connections itself.
//
// EvaluateHost() evaluates a name as a name, whatever addresses it resolves to. Code that connects
// must ask EvaluateAddress() about each address as well.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "policy/evaluate/evaluate_tool.h"

namespace ringfence {

struct HostDecision : NameDecision {
  // The policy entry that denied the host or, in the last of several lists, permitted it; it lives
  // as long as the policy. Null if no entry decided: the host is not listed, or the text is not a
  // host.
  const HostRule* rule = nullptr;
};

// `host` is a name or an IP address as written. Letter case, one final dot, %XX, the full stops and
// digits of East Asian scripts, and the spelling and brackets of an IPv6 address make no
// difference. Text that two programs could read differently is denied: "", "0x7f.1", "host:80", a
// name that is not in its ASCII form. Port 0 means 80 and 443: both must be permitted. A policy
// without "network" permits every text. `trace` may be null.
HostDecision EvaluateHost(std::string_view host, uint16_t port, const Policy& policy,
                          Trace* trace = nullptr);

// Evaluates all hosts that `text` covers, written like a policy entry ("*.host", "host:port"): all
// must be permitted and none denied.
HostDecision EvaluateHosts(std::string_view text, const Policy& policy, Trace* trace = nullptr);

struct AddressDecision : NameDecision {
  const PrivateRule* rule = nullptr;  // the entry of network.private that permitted it, if one did
};

// Evaluates an address to which `host` resolves, or `host` itself, once EvaluateHost() permits it.
// A public address is permitted. A private or link-local one needs an entry of network.private for
// the name. Every other address is refused, except that `host` may be the text of the address
// itself, unless that is loopback or unusable. host.ringfence is loopback, and nothing else.
AddressDecision EvaluateAddress(std::string_view host, uint16_t port, const Address& address,
                                const Policy& policy);

// Evaluates an address that EvaluateAddress() permits and that an interface of this machine has:
// even a name leads there only if the policy lists the address itself.
NameDecision EvaluateOwnAddress(std::string_view host, uint16_t port, const Address& address,
                                const Policy& policy);

// Returns the ports that entries of allow lists name, in ascending order. Entries without a port,
// which mean 80 and 443, add none.
std::vector<uint16_t> PortsOfEntries(const NetworkRules& rules);

// Makes the cause, if there is one, name the connection as `text`, the way the agent wrote it.
void NameConnection(NameDecision& decision, std::string_view text);

}  // namespace ringfence
