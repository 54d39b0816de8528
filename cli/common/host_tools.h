// Finds the programs on this machine that the client's sandbox needs, and the hook itself.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

struct SandboxTools {
  std::vector<std::string> missing;  // names of programs
  std::string broken;                // why the sandbox cannot start although all programs exist

  std::string MissingText() const;  // "bwrap and socat"
};
SandboxTools FindSandboxTools();

struct HookProgram {
  std::string path;                      // absolute, as it will be registered
  bool is_immune_to_preloading = false;  // statically linked
  std::string command;                   // this program's own path; "" if unknown
};
// `option` is --hook; if it is empty, finds the hook next to this program.
Result<HookProgram> FindHookProgram(const std::string& option);

// True if `path` is below a user's home directory.
bool IsBelowAHome(const std::string& path, const std::string& home);

}  // namespace ringfence
