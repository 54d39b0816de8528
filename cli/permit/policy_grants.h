// Describes what a policy file permits beyond the built-in policy, for the user who decides whether
// to trust it. Every key of a policy has a row in one table; a key without a row is listed as
// written, among the most dangerous.
#pragma once

#include <string>
#include <vector>

#include "cli/common/entry_scope.h"
#include "policy/load/policy_file.h"

namespace ringfence {

enum class Danger : uint8_t {
  kOpensAll,  // most of what the policy would otherwise deny
  kOpensMore,
  kNone,  // narrows, or only says how something works
};

struct GrantText {
  Danger danger = Danger::kNone;
  std::string key;   // "/write/allow"
  std::string says;  // with text from the file in quotes

  bool operator==(const GrantText&) const = default;
};

// The reader of the descriptions. `reach` tells how much an entry opens on the reader's host.
struct GrantReader {
  const EntryScope& reach;
  size_t longest_list = 20;  // a longer list is cut, and ends with the number left out
};

// Returns the descriptions of the file and all its profiles, the most dangerous first.
std::vector<GrantText> GrantsOf(const PolicyFile& file, const GrantReader& reader);

// True if the table has a row for the key or for a member of it. "*" in `key` means any name.
// For tests.
bool HasWordsFor(const std::string& key);

}  // namespace ringfence
