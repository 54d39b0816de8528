// Asks the user a yes-or-no question on the terminal.
#pragma once

#include <string_view>

namespace ringfence {

// Only kYes permits anything. kInterrupted is Ctrl-C: also no, and the command asks nothing more.
enum class UserReply { kYes, kNo, kInterrupted };

class Terminal {
 public:
  Terminal();  // standard input and output
  Terminal(int input, int output) : input_(input), output_(output) {}

  // True if a user can see the question and answer it: input and output are terminals.
  bool can_ask() const;

  // Prints "QUESTION [y/N] " and waits for a line: y, yes, n or no in any case, or nothing for
  // `if_empty`. The end of the input is a no, and so is a third answer that is none of these. Keys
  // that were pressed before the question was shown do not count. Without a terminal nothing is
  // printed and the reply is kNo. `question` is one line, with foreign text in it quoted.
  UserReply Ask(std::string_view question, UserReply if_empty = UserReply::kNo) const;

 private:
  int input_;
  int output_;
};

}  // namespace ringfence
