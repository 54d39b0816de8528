// What is done to all processes that came of this one: ending them, where no process namespace
// does, and stopping them for a while.
#pragma once

#include <sys/types.h>

#include <vector>

namespace ringfence {

// This process is their subreaper (prctl(2)). Returns when none is left.
void EndDescendants();

// Stops each one that runs, and returns those. A process cannot refuse, but the kernel continues
// one that has had it send itself SIGCONT, by a timer for example.
std::vector<pid_t> FreezeDescendants();
void Continue(const std::vector<pid_t>& frozen);

}  // namespace ringfence
