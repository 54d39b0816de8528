// Makes the user's terminal show what ringfence prints next as it is.
#pragma once

namespace ringfence {

// A command can leave the terminal in a state in which text is hidden or overwrites other text:
// inside an unfinished control string, with concealed characters, a scroll region or the cursor
// somewhere else. Ends that, and begins a new line. Does nothing without a terminal.
void CleanTerminal();

}  // namespace ringfence
