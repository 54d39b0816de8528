// Gives the command its own terminal if the launcher has one, so that the command never holds the
// user's. It cannot put characters into the user's terminal and reads only what is typed for it;
// job control works inside.
#pragma once

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/not_copied.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// Determined by which of the standard streams are terminals.
struct TerminalUse {
  bool own = false;     // the command gets its own terminal in place of each of them
  bool hears = false;   // the command gets what is typed while the launcher is in the foreground
  bool shares = false;  // other programs of the launcher's job may read what is typed as well
};

// If the input is a terminal, the command gets what is typed. If the output then goes elsewhere,
// the terminal is shared: in `... | less` the keys are meant for less.
TerminalUse FindTerminalUse();

// The initial state of the command's terminal.
struct TerminalStart {
  termios modes{};
  winsize size{};
};

// Returns the modes and the size of the user's terminal; the modes of any new terminal if another
// program has set those of the user's for its own use.
TerminalStart ReadTerminalStart(TerminalUse use);

// Prepares a new terminal. Must be called before a command can set modes of its own.
Status PrepareTerminal(const UniqueFd& master, const TerminalStart& start);

// True if this process's job is in the foreground.
bool IsInFront();

// A small process that restores the user's terminal if the launcher is killed while the terminal is
// in raw mode. It holds the terminal and a socket to the launcher, and nothing else.
class TerminalGuard : NotCopied {
 public:
  ~TerminalGuard();  // ends the process; the terminal is left as it is

  // Must be called before standard input's modes are changed from `before` to `taken`: the launcher
  // can be killed at any moment. If the terminal has `taken` when this process ends, the guard
  // restores `before`; a shell that has since set its own modes keeps them. The first call starts
  // the guard. If it cannot be started (no processes left), nothing is restored.
  void Watch(const termios& before, const termios& taken);

  pid_t process() const { return guard_; }  // -1 for none

 private:
  UniqueFd launcher_;  // the launcher's end of the pair
  pid_t guard_ = -1;
};

// Relays bytes and the window size until it is destroyed, which restores the user's terminal. A
// terminal that is not shared is taken (set to raw mode) while the launcher is in the foreground. A
// shared one is left as it is until the command wants it: until the command changes the modes of
// its own terminal, or a line is typed that no other program reads.
class TerminalRelay : NotCopied {
 public:
  ~TerminalRelay();

  // `master` is the master side of the command's terminal, which began with the modes `first`.
  Status Begin(UniqueFd master, const termios& first, TerminalUse use);
  bool is_on() const { return master_.valid(); }
  int master() const { return master_.get(); }
  // Events to wait for, on the user's terminal and on the command's. Input is read only when the
  // command has room for it.
  bool wants_input() const { return input_ == Input::kTaken && typed_.empty(); }
  short master_events() const {  // NOLINT(google-runtime-int): as poll(2) has it
    return typed_.empty() ? POLLIN : POLLIN | POLLOUT;
  }
  // PID of the terminal guard, which stays until the terminal is given back; -1 for none.
  pid_t guard() const { return guard_.process(); }
  // Milliseconds to wait for events before Look() is due; -1 for no limit.
  int wait_milliseconds() const;

  // Gives the user's terminal back while the command is stopped.
  void Suspend();
  // Checks for changes that no event reports: a shell has brought the launcher to the foreground,
  // or the command wants a shared terminal.
  void Look();

  void ReadInput();   // from the user
  void PassInput();   // to the command
  bool PassOutput();  // to the user; returns false if the command has closed its side
  void PassSize() const;
  // True if the last keys included the interrupt character, for which the command's terminal sends
  // SIGINT.
  bool has_interrupted() const { return has_interrupted_; }
  // Passes on what the command has written and the launcher has not yet read.
  void Drain();

 private:
  enum class Input {
    kNone,    // the command gets no input
    kAway,    // the launcher is not in the foreground
    kBeside,  // the launcher leaves the shared terminal to other programs
    kTaken,   // raw mode; the command gets all that is typed
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
  int person_ = -1;  // descriptor of the user's terminal, for output
  bool shares_ = false;
  Input input_ = Input::kNone;
  termios before_{};     // modes of the user's terminal before it was taken
  termios first_{};      // modes with which the command's terminal began
  TerminalGuard guard_;  // restores the user's terminal if this process is killed
  std::string typed_;    // input that has not yet been passed on
  bool has_interrupted_ = false;
  bool for_modes_ = false;  // taken because the command changed the modes of its terminal
  int64_t left_since_ = 0;  // when a typed line was first left unread, in milliseconds; 0 for none
};

// Called when `signal` has stopped the command. Stops this process as well, as the command would be
// in its place, and with SIGTSTP the rest of its job. Returns true if the caller must continue the
// command, because no SIGCONT is pending that does so.
bool StopAlike(TerminalRelay& relay, int signal);

}  // namespace ringfence
