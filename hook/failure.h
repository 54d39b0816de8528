// A command that failed on the sandbox: which path was it, and would the policy refuse it?
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

struct RefusedPath {
  std::string path;
  bool is_write = false;  // by the words around it: "cannot create"

  bool operator==(const RefusedPath&) const = default;
};

// Paths that the failed program's own words name beside a refusal of the kernel ("Permission
// denied", "Read-only file system", "Operation not permitted"), at most four. The words are the
// confined program's: they prove nothing, and are only a reason to look at the policy again.
std::vector<RefusedPath> RefusedPaths(std::string_view failure);

}  // namespace ringfence
