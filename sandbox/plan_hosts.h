// What the hosts of a policy open beyond themselves: notes for SandboxPlan::weaker.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"

namespace ringfence {

// For a sandbox in the host's network.
void NoteHostNetwork(const NetworkRules& network, std::vector<std::string>& weaker);

// For one that reaches listed hosts: a note for each entry that permits every host or a port of
// this machine, and one if a proxy of the user's network looks the names up.
void NoteOpenings(const NetworkRules& network, std::vector<std::string>& weaker);

// The kernel cannot join two network namespaces (HostFacts::has_veth).
void NoteTakenPorts(std::vector<std::string>& weaker);

}  // namespace ringfence
