// Variables of a git configuration file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

struct GitVariable {
  std::string section, subsection, key;  // section and key in lower case
  std::string value;                     // without quotes and comments

  std::string name() const;  // "filter.lfs.clean"
};

// Reads as git does, but continues after a syntax error, so that a mistake cannot hide what
// follows.
std::vector<GitVariable> ReadGitVariables(std::string_view text);

}  // namespace ringfence
