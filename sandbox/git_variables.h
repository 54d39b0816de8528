// Variables of git, from its configuration files and from the environment.
#pragma once

#include <span>
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

// Settings and files that the environment gives git (git(1), ENVIRONMENT VARIABLES; git-config(1),
// ENVIRONMENT).
struct GitEnvironment {
  struct Setting {
    GitVariable variable;  // as in a configuration file
    std::string from;      // "GIT_SSH_COMMAND"
  };
  struct File {
    std::string path;  // may be relative
    std::string from;
  };
  std::vector<Setting> settings;
  std::vector<File> config_files;
  std::string repository;  // GIT_DIR, or ""
};

// `environment` holds "NAME=value" strings.
GitEnvironment ReadGitEnvironment(std::span<const std::string> environment);

}  // namespace ringfence
