// Opens of FIFOs, which wait for the other side: the callers do, the supervisor does not.
#pragma once

#include "sandbox/linux/supervisor.h"

namespace ringfence {

// `opened` becomes the FIFO behind `handle` (O_PATH). 0 or an errno value: ENXIO while nobody
// reads.
int TryFifo(const Supervision& supervision, const UniqueFd& handle, int flags, UniqueFd& opened);

// What open(2) leaves to its flags: the descriptor's later calls wait.
int MakeBlocking(const UniqueFd& file);

// Tries the waiting ones again, some at a time.
void TryWaiting(int listener, Supervision& supervision);

}  // namespace ringfence
