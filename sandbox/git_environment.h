// Settings and files that the environment gives git (git(1), ENVIRONMENT VARIABLES; git-config(1),
// ENVIRONMENT).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sandbox/git_variables.h"

namespace ringfence {

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
