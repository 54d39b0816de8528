// JSON to PolicyFile: strict, top to bottom, every mistake with its place.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/agent.h"
#include "policy/load/policy_file.h"
#include "policy/rules/path_entry.h"

namespace ringfence {

struct PolicyText {
  std::string text;
  std::string path;                // absolute
  std::string shown;               // what messages and reasons call the file
  bool quotable = true;            // false: rules are marked as an untrusted file's
  const Agent* agent = &kNoAgent;  // whose hosts "@agent-hosts" stands for
};

// On failure every mistake is in `mistakes`, at least one. `keys` outlives the result.
std::unique_ptr<PolicyFile> LoadPolicy(PolicyText source, std::vector<Error>& mistakes,
                                       std::span<const KeyRow> keys = PolicyKeys());

// The policy that stands where no file does.
const char* BuiltInPolicyText();

}  // namespace ringfence
