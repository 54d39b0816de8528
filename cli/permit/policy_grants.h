// What a policy file permits beyond the built-in policy, in words for the person who is to trust
// it. Every key of a policy has a row in one table; a key without one is listed as it is written,
// among the most dangerous.
#pragma once

#include <string>
#include <vector>

#include "cli/explain/entry_scope.h"
#include "policy/load/policy_file.h"

namespace ringfence {

enum class Danger : uint8_t {
  kOpensAll,  // most of what the policy would hold back
  kOpensMore,
  kNone,  // narrows, or says how something is done
};

struct GrantText {
  Danger danger = Danger::kNone;
  std::string key;   // "/write/allow"
  std::string says;  // foreign text in it is quoted

  bool operator==(const GrantText&) const = default;
};

// For whom the words are: `reach` says what an entry opens there.
struct GrantReader {
  const EntryScope& reach;
  size_t longest_list = 20;  // a longer one is cut, and says how much it holds besides
};

// Of the file and of every profile in it, the most dangerous first.
std::vector<GrantText> GrantsOf(const PolicyFile& file, const GrantReader& reader);

// The table has a row for the key; "*" stands for a name. For tests.
bool HasWordsFor(const std::string& key);

}  // namespace ringfence
