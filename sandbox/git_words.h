// Words of a command that git hands to a shell, as possible file names; not a shell parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

struct CommandWord {
  std::string text;    // without quotes
  std::string before;  // the preceding word; "" for the first word of a command

  bool is_first() const { return before.empty(); }
  bool is_script() const;  // run by an interpreter
};

// Includes the words of quoted commands (sh -c "...") and values attached to options ("./x" in
// "-F./x"). `command` comes from a file of at most 1 MiB; text quoted more than three levels deep
// stays whole.
std::vector<CommandWord> CommandWords(std::string_view command);

}  // namespace ringfence
