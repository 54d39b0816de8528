// Opens of FIFOs that wait for the other side. The caller waits; the supervisor does not.
#pragma once

#include "sandbox/linux/supervisor.h"

namespace ringfence {

// Opens the FIFO behind `handle` (O_PATH) as `opened`. Returns 0 or an errno value: ENXIO while it
// has no reader.
int TryFifo(const Supervision& supervision, const UniqueFd& handle, int flags, UniqueFd& opened);

// Clears O_NONBLOCK, which was set only to keep open(2) from waiting. Returns 0 or an errno value.
int MakeBlocking(const UniqueFd& file);

// Retries the waiting opens, a limited number at a time.
void TryWaiting(int listener, Supervision& supervision);

}  // namespace ringfence
