// Opens of FIFOs, which wait for the other side: the callers do, the supervisor does not.
#pragma once

#include "sandbox/linux/supervisor.h"

namespace ringfence {

// `opened` becomes the FIFO behind `handle` (O_PATH). 0 or an errno value: ENXIO while nobody
// reads.
int TryFifo(const Supervision& supervision, const UniqueFd& handle, int flags, UniqueFd& opened);

// Of one that was opened with O_NONBLOCK so that open(2) did not wait: later calls do.
int MakeBlocking(const UniqueFd& file);

// Tries the waiting ones again, some at a time.
void TryWaiting(int listener, Supervision& supervision);

}  // namespace ringfence
