// `ringfence completion`: scripts with which a shell completes the command line.
#pragma once

#include "cli/command_line/options.h"

namespace ringfence {

// `shell` is "bash", "zsh" or "fish".
std::string CompletionScript(const CLI::App& app, const std::string& shell);

}  // namespace ringfence
