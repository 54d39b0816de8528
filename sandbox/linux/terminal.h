// A terminal of the command's own, where the launcher stands at one: the command cannot put
// characters into the person's, and job control works inside.
#pragma once

#include <termios.h>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// Passes bytes and the window's size on until it is destroyed; then the person's terminal is as it
// was.
class TerminalRelay {
 public:
  TerminalRelay() = default;
  TerminalRelay(const TerminalRelay&) = delete;
  TerminalRelay& operator=(const TerminalRelay&) = delete;
  ~TerminalRelay();

  // `master` is the command's terminal; standard input is the person's.
  Status Begin(UniqueFd master);
  bool is_on() const { return master_.valid(); }
  int master() const { return master_.get(); }
  bool hears_person() const { return hears_person_; }

  void PassInput();   // from the person
  bool PassOutput();  // to the person; false: the command has closed its side
  void PassSize() const;
  // What the command has written and nobody has read yet.
  void Drain();

 private:
  UniqueFd master_;
  termios before_{};
  bool hears_person_ = false;
};

}  // namespace ringfence
