// Rows of hosts, and what a policy says about them.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "policy/evaluate/evaluate_host.h"
#include "tests/support/world.h"

namespace ringfence {

// The policy of a world whose user's policy has these members.
inline Policy PolicyOfUser(World& world, std::string_view members) {
  world.User(members);
  return world.Merged(world.EventOf("Bash", "{}"));
}

// "permit by good.example" or "deny", with the entry as written in the policy.
inline std::string Said(const HostDecision& decision) {
  std::string said(VerdictName(decision.verdict));
  if (decision.rule != nullptr) said += " by " + std::string(decision.rule->written);
  return said;
}

struct HostRow {
  std::string_view host;
  uint16_t port;
  std::string_view want;
};

inline void CheckHosts(const Policy& policy, std::span<const HostRow> rows) {
  for (const HostRow& row : rows) {
    CAPTURE(row.host);
    CAPTURE(row.port);
    CHECK(Said(EvaluateHost(row.host, row.port, policy)) == row.want);
  }
}

}  // namespace ringfence
