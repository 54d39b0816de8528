// What this machine offers: the programs that the client's sandbox needs, and the hook itself.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

struct SandboxTools {
  std::vector<std::string> missing;  // names of programs
  std::string broken;                // why the sandbox cannot be made although all are there

  bool is_usable() const { return missing.empty() && broken.empty(); }
  std::string MissingText() const;  // "bwrap and socat"
};
SandboxTools FindSandboxTools();

struct HookProgram {
  std::string path;                      // absolute, as it will be registered
  bool is_immune_to_preloading = false;  // statically linked
  std::string command;                   // this program's own path; "": it is not known
};
// `option` is --hook; else the hook beside this program.
Result<HookProgram> FindHookProgram(const std::string& option);

// True when `path` lies below somebody's home directory.
bool IsBelowAHome(const std::string& path, const std::string& home);

}  // namespace ringfence
