// The rules of a policy as self-contained values: for coverage, and for rules that cannot match.
#pragma once

#include <string>
#include <vector>

#include "policy/load/policy_file.h"

namespace ringfence {

struct RuleEntry {
  std::string file;  // as shown in messages
  uint32_t line = 0;
  std::string pointer;  // of the list: "/profiles/worker/write/allow"
  std::string written;  // "docs/adr"

  std::string label() const;  // policy.json:6 /write/allow "docs/adr"
  // NOLINTNEXTLINE(modernize-use-nullptr): no pointer here
  auto operator<=>(const RuleEntry&) const = default;
};

RuleEntry EntryOf(const RulePlace& place, std::string written);

// Returns the rules of tools, read, write and network, at the top level and in profiles.
std::vector<RuleEntry> RulesOf(const PolicyFile& file);

}  // namespace ringfence
