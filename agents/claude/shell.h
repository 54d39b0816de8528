// The shell in which the client runs a command, as seen by a program that this shell started
// (docs/client-bash.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringfence {

struct ClientShell {
  std::string program;             // the real path
  std::vector<std::string> words;  // of its command line; the last is the script
};

// Reads the process that started this one. Returns an error if it is not a shell with a script.
Result<ClientShell> ReadParentShell();

// Splits the shell's command line: "bash", "-c", the script, each ended by NUL.
Result<std::vector<std::string>> ParseShellWords(std::string_view command_line);

// Returns the script without `line`, with which the command that it evaluates must begin.
Result<std::string> WithoutLine(const std::string& script, const std::string& line);

// Returns the file to which the client has the shell write its last working directory; "" if none.
std::string DirectoryFile(std::string_view script);

}  // namespace ringfence
