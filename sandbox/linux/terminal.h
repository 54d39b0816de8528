// A terminal of the command's own, where the launcher stands at one: the command cannot put
// characters into the person's, reads there only what is typed for it, and job control works
// inside.
#pragma once

#include <poll.h>
#include <termios.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// Which of the standard streams are terminals decides.
struct TerminalUse {
  bool own = false;    // the command has one of its own in place of each that is
  bool hears = false;  // what is typed is the command's, while the launcher is in front
};

// Who types and reads at the terminal is heard. Where the output goes elsewhere, the input stays as
// it is: `... | less` is typed at as well. With another input a command hears nothing.
TerminalUse FindTerminalUse();

// Passes bytes and the window's size on until it is destroyed; then the person's terminal is as it
// was.
class TerminalRelay {
 public:
  TerminalRelay() = default;
  TerminalRelay(const TerminalRelay&) = delete;
  TerminalRelay& operator=(const TerminalRelay&) = delete;
  ~TerminalRelay();

  // `master` is the command's terminal.
  Status Begin(UniqueFd master, TerminalUse use);
  bool is_on() const { return master_.valid(); }
  int master() const { return master_.get(); }
  // The events to wait for: of the person, and of the command's terminal. What is typed is taken
  // only when the command has room for it.
  bool wants_input() const { return hears_person_ && typed_.empty(); }
  short master_events() const {  // NOLINT(google-runtime-int): as poll(2) has it
    return typed_.empty() ? POLLIN : POLLIN | POLLOUT;
  }

  // Gives the person's terminal back, for a command that is stopped.
  void Suspend();
  // Takes it, where this process is in front.
  void Resume();
  bool is_away() const { return is_away_; }

  void ReadInput();   // from the person
  void PassInput();   // to the command
  bool PassOutput();  // to the person; false: the command has closed its side
  void PassSize() const;
  // What the command has written and nobody has read yet.
  void Drain();

 private:
  UniqueFd master_;
  int person_ = -1;  // where the output goes
  termios before_{};
  std::string typed_;  // and not passed yet
  bool is_raw_ = false;
  bool hears_person_ = false;
  bool is_away_ = false;  // it would hear the person, and does not now
};

// The command was stopped by `signal`: so is this process, as the command itself would be in its
// place, and with SIGTSTP whoever shares its job. False where nobody could continue it, since no
// shell has it in front; true when it goes on and the command is to be told, which SIGCONT does
// not.
bool StopAlike(TerminalRelay& relay, int signal);

}  // namespace ringfence
