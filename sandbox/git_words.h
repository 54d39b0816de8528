// The words of a command that git hands to a shell, for what they may name: no shell's grammar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

struct CommandWord {
  std::string text;    // without quotes
  std::string before;  // the word before it; "" for the first of a command

  bool is_first() const { return before.empty(); }
  bool is_script() const;  // an interpreter runs it
};

// With those of commands in quotes (sh -c "..."), and values at their options ("./x" of "-F./x").
// `command` comes from a file of at most 1 MiB; what is quoted more than three times stays whole.
std::vector<CommandWord> CommandWords(std::string_view command);

}  // namespace ringfence
