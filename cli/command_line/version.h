// What `ringfence --version --json` prints.
#pragma once

#include <string>

namespace ringfence {

// The version, git's commit (null if unknown), whether the source was modified, the architecture,
// each program's C library, and the libraries that are linked into the programs.
std::string VersionJson();

}  // namespace ringfence
