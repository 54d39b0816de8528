// Converts JSON to a PolicyFile. Strict; reads from top to bottom and reports every mistake with
// its place.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/agent.h"
#include "policy/load/policy_file.h"

namespace ringfence {

struct PolicyText {
  std::string text;
  std::string path;              // absolute
  std::string shown;             // the file's name in messages and reasons
  bool quotable = true;          // false: marks the rules as an untrusted file's
  const Agent* agent = nullptr;  // required; the hosts of "@agent-hosts" are its
  bool of_project = false;       // the file comes with a repository
};

// Returns nullptr on failure and adds every mistake, at least one, to `mistakes`. `keys` outlives
// the result.
std::unique_ptr<PolicyFile> LoadPolicy(PolicyText source, std::vector<Error>& mistakes,
                                       std::span<const KeyRow> keys = PolicyKeys());

// The built-in policy: the defaults under all files.
PolicyText BuiltInPolicy(const Agent& agent);

}  // namespace ringfence
