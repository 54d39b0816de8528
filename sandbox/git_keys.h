// How the values of git's variables name files (git-config(1)).
#pragma once

#include <cstdint>

#include "sandbox/git_variables.h"

namespace ringfence {

enum class GitValueKind : uint8_t {
  kOther,    // perhaps a command: words that name files which exist
  kCommand,  // a command for a shell
  kPath,
  kInclude,  // a path from the configuration file
};

GitValueKind KindOfValue(const GitVariable& variable);

}  // namespace ringfence
