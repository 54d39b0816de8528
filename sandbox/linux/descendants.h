// The processes that this one has started, by itself or through others: ending them, where no
// process namespace does, and stopping them for a while.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.h"

namespace ringfence {

// All of them, or those of a process group; in no order.
std::vector<pid_t> Descendants(pid_t group = 0);

// `process` cannot be mistaken for another that had its number, where the caller holds a pidfd of
// it.
bool IsDescendant(pid_t process);

// Those that were not started by it, but by the program that it replaced (execve(2)), and others
// that it keeps.
using Spared = std::vector<pid_t>;

// Ends all of them, the fast ones included, where no process namespace does. `spared` are children
// that stay, with their own descendants.
void EndDescendants(const Spared& spared = {});

// The children that this process has; it waits for none of them.
Result<std::vector<pid_t>> Children();

// Stops each one that runs, and returns those. A process cannot refuse, but the kernel continues
// one that has had it send itself SIGCONT, by a timer for example.
std::vector<pid_t> FreezeDescendants();
void Continue(const std::vector<pid_t>& frozen);

}  // namespace ringfence
