// Random paths, and policies about them: guarded names, patterns, links.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/random_policy.h"

namespace ringfence {

// A project at /home/dev/project, a directory /srv beside it, and links "l" and "link" in the
// project.
class RandomPaths : public RandomPolicies {
 public:
  explicit RandomPaths(uint32_t seed) : RandomPolicies(seed) {}

  template <size_t N>
  std::string One(const char* const (&words)[N]) {
    return words[Below(N)];
  }

  std::string Name();
  std::string Text();
  nlohmann::json SomePolicy();  // always has a "write" section

 private:
  void Extend(nlohmann::json& write, const std::string& list, unsigned odds);
};

}  // namespace ringfence
