// The hook's command line. Parsed without a library: the hook links nothing that it does not need.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "policy/places.h"

namespace ringfence {

// The part of the registration that the command line gives, and what to print instead of an answer.
struct HookOptions : Registration {
  bool help = false;
  bool version = false;
};

// `arguments` excludes the program name.
Result<HookOptions> ParseHookOptions(std::span<char* const> arguments);

std::string HookHelp();

}  // namespace ringfence
