// Finds the descendants of this process, stops them temporarily, and ends them if no process
// namespace does.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.h"

namespace ringfence {

// Returns all descendants, or those in a process group; parents before their children.
std::vector<pid_t> Descendants(pid_t group = 0);

// Reliable only if the caller holds a pidfd of `process`; otherwise its number can be reused.
bool IsDescendant(pid_t process);

// Children to keep, such as those of the program that this process was before execve(2).
using Spared = std::vector<pid_t>;

// Ends all descendants, even those that fork quickly, if no process namespace does. Spares the
// children in `spared` and their descendants.
void EndDescendants(const Spared& spared = {});

// Returns the children of this process, without reaping any.
Result<std::vector<pid_t>> Children();

// Stops all running descendants, parents before their children, and returns them. A process cannot
// refuse, but it can have the kernel send it SIGCONT, by a timer for example.
std::vector<pid_t> FreezeDescendants();
void Continue(const std::vector<pid_t>& frozen);

}  // namespace ringfence
