// The variables of a git configuration file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

// A variable of a configuration file (git-config(1), "CONFIGURATION FILE").
struct GitVariable {
  std::string section, subsection, key;  // section and key in lower case
  std::string value;                     // without quotes and comments

  std::string name() const;  // "filter.lfs.clean"
};

// Reads as git does, and reads on where git would stop: a mistake must not hide what follows.
std::vector<GitVariable> ReadGitVariables(std::string_view text);

}  // namespace ringfence
