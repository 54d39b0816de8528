#include "run/clean_terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/syscall.h"
#include "run/messages.h"

namespace ringfence {
namespace {

constexpr const char* kPlain =
    "\x18\033\\"  // CAN and ST: end a control sequence or string that is not complete
    // Leaves the alternate screen, whichever one the terminal shows. Leaving it without entering it
    // moves the cursor to where an earlier program has entered it (tmux 3.3).
    "\033[?1049h\033[?1049l"
    "\033[!p"        // DECSTR: resets most of the following, but not on each terminal
    "\033[?1l\033>"  // DECCKM, DECKPNM: cursor keys and keypad as usual
    "\033[?9l\033[?1000l\033[?1002l\033[?1003l"     // no reports of the mouse
    "\033[?1005l\033[?1006l\033[?1015l\033[?1016l"  // nor a format for them
    "\033[?1004l\033[?2004l\033[?2026l"  // no reports of focus, no marks around pasted text, and
                                         // the terminal shows at once what it gets
    // Keys as usual: the protocol of kitty, and xterm's modifyOtherKeys. Some terminals read the
    // first as "move the cursor to the saved position", the second as "underline".
    "\0337\033[=0;1u\0338\033[>4m"
    "\033[m"            // SGR: visible characters
    "\033(B\017"        // letters instead of line drawing characters
    "\033[4l\033[?7h"   // IRM: replace, DECAWM: wrap long lines
    "\033[?69l"         // DECLRMM: no left and right margins
    "\0337\033[r\0338"  // DECSTBM: the whole screen scrolls; the cursor stays where it is
    "\033[?25h";        // the cursor is visible

// The spaces wrap unless the cursor is in the first column, as in zsh (PROMPT_SP). So a line that
// the command did not end stays, and is not continued.
std::string FreshLine(int fd) {
  constexpr unsigned short kUsual = 80;
  constexpr unsigned short kMost = 4096;
  winsize size{};
  const bool is_known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const unsigned short columns = is_known ? std::min(size.ws_col, kMost) : kUsual;
  return std::string(columns - 1U, ' ') + "\r\033[J";
}

}  // namespace

void CleanTerminal() {
  for (const int fd : {STDERR_FILENO, STDOUT_FILENO}) {
    if (!IsSmartTerminal(fd)) continue;
    [[maybe_unused]] const Status written = WriteAll(fd, kPlain + FreshLine(fd));
  }
}

}  // namespace ringfence
