// Ends this process as a command of it has ended.
#pragma once

namespace ringfence {

// A shell or make that waits for this process then ends its loop or recipe. Returns only if the
// signal ends no process.
void EndBySignal(int signal);

}  // namespace ringfence
