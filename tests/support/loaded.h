// A policy text, loaded for a test.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/load/load.h"

namespace ringfence {

struct Loaded {
  std::unique_ptr<PolicyFile> file;  // nullptr if there are mistakes
  std::vector<Error> mistakes;
};

Loaded Load(std::string_view text, bool quotable = true);

// Every mistake, one per line: "policy.json:1:2: what [hint]".
std::string Mistakes(std::string_view text);

// Returns {"version":1, MEMBERS}.
std::string PolicyWith(std::string_view members);

// The rules of a list as one text: "base:tail", with "*" for a pattern and the set's name for a
// set.
std::string RulesText(const std::vector<PathRule>& rules);

}  // namespace ringfence
