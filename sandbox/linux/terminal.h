// A terminal of the command's own, where the launcher has one: the command never holds the user's.
// It cannot put characters into that one, reads only what is typed for it, and job control works
// inside.
#pragma once

#include <poll.h>
#include <termios.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "sandbox/linux/terminal_guard.h"

namespace ringfence {

// Which of the standard streams are terminals decides.
struct TerminalUse {
  bool own = false;     // the command has one of its own in place of each that is
  bool hears = false;   // what is typed is the command's, while the launcher is in front
  bool shares = false;  // other programs of the launcher's job may read what is typed as well
};

// With a terminal for input, the command hears what is typed. If the output goes elsewhere, the
// terminal is shared: in `... | less` the keys are meant for less.
TerminalUse FindTerminalUse();

// Whether the shell has this process's job in front.
bool IsInFront();

// Passes bytes and the window's size on until it is destroyed; then the user's terminal is as it
// was. A terminal that is not shared is taken (set to raw mode) as long as the launcher is in
// front. A shared one is left as it is until the command wants it: until the command changes the
// modes of its own, or a line has been typed that no other program reads.
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
  // The events to wait for: of the user's terminal, and of the command's. What is typed is read
  // only when the command has room for it.
  bool wants_input() const { return input_ == Input::kTaken && typed_.empty(); }
  short master_events() const {  // NOLINT(google-runtime-int): as poll(2) has it
    return typed_.empty() ? POLLIN : POLLIN | POLLOUT;
  }
  // A process that stays until the terminal is given back; -1 for none.
  pid_t guard() const { return guard_.process(); }
  // How long to wait for events before Look() is due; -1 for ever.
  int wait_milliseconds() const;

  // Gives the user's terminal back, for a command that is stopped.
  void Suspend();
  // Finds out what no event tells: that a shell has brought the launcher to the front, and that
  // the command wants a shared terminal.
  void Look();

  void ReadInput();   // from the user
  void PassInput();   // to the command
  bool PassOutput();  // to the user; false: the command has closed its side
  void PassSize() const;
  // The last keys that were passed interrupt: the command's terminal sends SIGINT for them.
  bool has_interrupted() const { return has_interrupted_; }
  // Passes what the command has written and the launcher has not read yet.
  void Drain();

 private:
  enum class Input {
    kNone,    // the command hears nothing
    kAway,    // the launcher is not in front
    kBeside,  // the terminal is shared, and left to others
    kTaken,   // raw; all that is typed is the command's
  };

  bool CommandChangedModes() const;
  bool HasLeftLine();
  void Take();
  void GiveBack(Input next);
  void TakeLine();
  void PassSilently();
  void LookForInterrupt();
  bool Write(std::string_view bytes) const;

  UniqueFd master_;
  int person_ = -1;  // where the output goes
  bool shares_ = false;
  Input input_ = Input::kNone;
  termios before_{};     // the user's terminal
  termios first_{};      // the command's, as the launcher set it up
  TerminalGuard guard_;  // restores the user's terminal should this process be killed
  std::string typed_;    // and not passed yet
  bool has_interrupted_ = false;
  bool for_modes_ = false;  // taken since the command changed the modes of its own
  int64_t left_since_ = 0;  // milliseconds; since when a typed line has been left; 0 for none
};

// The command was stopped by `signal`: so is this process, as the command itself would be in its
// place, and with SIGTSTP the rest of its job. True when it goes on and the command is to be told,
// which SIGCONT does not.
bool StopAlike(TerminalRelay& relay, int signal);

}  // namespace ringfence
