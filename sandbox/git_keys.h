// Ways in which the values of git variables name files (git-config(1)).
#pragma once

#include <cstdint>

#include "sandbox/git_variables.h"

namespace ringfence {

enum class GitValueKind : uint8_t {
  kOther,    // possibly a command: its words count if they name existing files
  kCommand,  // a shell command
  kPath,
  kInclude,  // relative to the configuration file
};

GitValueKind KindOfValue(const GitVariable& variable);

}  // namespace ringfence
