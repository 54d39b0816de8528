// Asks the user a yes-or-no question on the terminal.
#pragma once

#include <string_view>

namespace ringfence {

// Only kYes permits anything. kInterrupted (Ctrl-C) also means no, and the command stops asking.
enum class UserReply { kYes, kNo, kInterrupted };

class Terminal {
 public:
  Terminal();  // standard input and output
  Terminal(int input, int output) : input_(input), output_(output) {}

  // True if a user can see the question and answer it: input and output are terminals.
  bool can_ask() const;

  // Prints "QUESTION [y/N] " and waits for a line: y, yes, n or no in any case, or nothing for
  // `if_empty`. The end of the input counts as no, and so does a third invalid answer. Discards
  // keys that were pressed before the question was shown. Without a terminal, prints nothing and
  // returns kNo. `question` is one line, with untrusted text in it quoted.
  UserReply Ask(std::string_view question, UserReply if_empty = UserReply::kNo) const;

 private:
  int input_;
  int output_;
};

}  // namespace ringfence
