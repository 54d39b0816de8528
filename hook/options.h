// The hook's command line. Parsed without a library: the hook links nothing that it does not need.
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace ringfence {

struct HookOptions {
  std::string policy;
  std::string root;
  std::string home;
  std::string profile;
  bool trial = false;
  bool help = false;
  bool version = false;
};

// `arguments` excludes the program name.
Result<HookOptions> ParseHookOptions(std::span<char* const> arguments);

std::string HookHelp();

}  // namespace ringfence
