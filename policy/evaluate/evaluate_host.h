// Whether a host may be reached at a port: the one place where the rules for hosts are applied. It
// reads no URLs; evaluate_url.h does, and asks here, as does whatever opens connections itself.
//
// A name is evaluated as a name, whatever addresses it resolves to. Loopback and link-local
// addresses are hosts like any other: they must be listed.
#pragma once

#include <cstdint>
#include <string_view>

#include "policy/evaluate/evaluate_tool.h"

namespace ringfence {

struct HostDecision : NameDecision {
  // The entry of the policy that denied or, in the last of several lists, permitted the host; it
  // lives as long as the policy. Null where no entry decided: the host is not listed, or no host.
  const HostRule* rule = nullptr;
};

// `host` is a name or an IP address as it was written. Letter case, one final dot, %XX, the full
// stops and digits of East Asian scripts, and the spelling and brackets of an IPv6 address make no
// difference. Whatever two programs could read in two ways is denied: "", "0x7f.1", "host:80", a
// name that is not in its ASCII form. Port 0 means every port: all must be permitted. A policy
// without "network" permits every text. `trace` may be null.
HostDecision EvaluateHost(std::string_view host, uint16_t port, const Policy& policy,
                          Trace* trace = nullptr);

// All hosts that `text` means, which is written like an entry of a policy ("*.host", "host:port"):
// all must be permitted, and none denied.
HostDecision EvaluateHosts(std::string_view text, const Policy& policy, Trace* trace = nullptr);

// Has the cause, if there is one, name the connection by `text`, as the agent wrote it.
void NameConnection(NameDecision& decision, std::string_view text);

}  // namespace ringfence
