// `ringfence enter`: started by the line that the hook puts before a command (hook/wrap.h). It runs
// the script of the calling shell confined, without that line, and exits with its status. It uses
// only the system's libraries, so that little can go wrong; on failure nothing is run and the
// status is 125.
#pragma once

#include <span>

namespace ringfence {

// `words` is the whole command line. Returns the exit status.
int Enter(std::span<char* const> words);

}  // namespace ringfence
