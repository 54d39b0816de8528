// Calls for child processes that each system has under another name: run/linux, run/macos.
#pragma once

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

struct Pipe {
  UniqueFd reading, writing;
};

// Both ends are closed on exec.
Result<Pipe> MakePipe();

// Becomes readable once, after this time. Invalid on an error.
UniqueFd MakeTimer(int milliseconds);

// For a child process with a single thread: closes all descriptors from `first` on.
bool CloseDescriptorsFrom(int first);

// For a child process: the kernel ends it when its parent ends. macOS cannot do that: the child
// goes on.
bool EndWithParent();

}  // namespace ringfence
