// The end of everybody who came of this process, where no process namespace ends them.
#pragma once

namespace ringfence {

// This process is their subreaper (prctl(2)). Returns when none is left.
void EndDescendants();

}  // namespace ringfence
