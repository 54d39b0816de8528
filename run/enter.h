// `ringfence enter`: what the line starts that the hook puts before a command (hook/wrap.h). It
// runs the script of the shell that started it confined, without that line, and ends as it ended.
// No library but the system's, as little as may go wrong: a failure is status 125 and nothing run.
#pragma once

#include <span>

namespace ringfence {

// `words`: the whole command line. The exit status.
int Enter(std::span<char* const> words);

}  // namespace ringfence
