// Makes the user's terminal show what ringfence prints next as it is.
#pragma once

namespace ringfence {

// A command can leave the terminal in a state in which text is hidden or overwrites other text:
// inside an unfinished control string, with concealed characters, a scroll region or the cursor
// somewhere else. A full-screen program that is killed leaves its alternate screen and the modes
// for keys, mouse and pasted text. Ends all that, and begins a new line. Does nothing without a
// terminal.
void CleanTerminal();

}  // namespace ringfence
