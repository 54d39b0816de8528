// Ways in which the values of git variables name files (git-config(1)), and the words of commands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/git_variables.h"

namespace ringfence {

enum class GitValueKind : uint8_t {
  kOther,    // possibly a command: its words count if they name existing files
  kCommand,  // a shell command
  kPath,
  kInclude,  // relative to the configuration file
};

GitValueKind KindOfValue(const GitVariable& variable);

// Words of a command that git hands to a shell, as possible file names; not a shell parser.
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
