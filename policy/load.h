// JSON to PolicyFile: strict, top to bottom, every mistake with its place.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/path_entry.h"
#include "policy/policy_file.h"

namespace ringfence {

// Reads `text` as a policy. `shown` is what messages and reasons call the file. On failure every
// mistake is in `mistakes`, at least one. `quotable` false: rules are marked as an untrusted
// file's.
std::unique_ptr<PolicyFile> LoadPolicy(std::string text, std::string path, std::string shown,
                                       bool quotable, std::vector<Error>& mistakes);

// The policy that stands where no file does.
const char* BuiltInPolicyText();

}  // namespace ringfence
