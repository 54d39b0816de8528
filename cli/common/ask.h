// Asks the user questions on the terminal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ringfence {

// Only kYes permits anything. kInterrupted (Ctrl-C, or a signal that the caller holds back with
// HeldSignals) also means no, and the command stops asking.
enum class UserReply { kYes, kNo, kInterrupted };

struct Choice {
  char key;               // a letter of the word; each choice has another one
  std::string_view word;  // in lower case
};

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

  // Prints "QUESTION [s]taged s[k]ip " and waits for a line with the key of a choice, or its word.
  // Returns the key; nothing after kInterrupted's signals, the end of the input or a third invalid
  // answer, and without a terminal.
  std::optional<char> Choose(std::string_view question, std::span<const Choice> choices) const;

 private:
  // Asks until `read` accepts an answer. Returns what it returned, or nothing.
  template <typename Read>
  auto AskUntil(const std::string& prompt, std::string_view advice, Read read) const
      -> decltype(read(std::string()));

  int input_;
  int output_;
};

}  // namespace ringfence
