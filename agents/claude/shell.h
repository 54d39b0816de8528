// The shell in which the client runs a command, as a program sees it that this shell has started
// (docs/client-bash.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ringfence {

struct ClientShell {
  std::string program;             // where it really is
  std::vector<std::string> words;  // of its command line; the last is the script
};

// The process that started this one. An error where it is no shell with a script.
Result<ClientShell> ReadParentShell();

// Its command line: "bash", "-c", the script, each ended by NUL.
Result<std::vector<std::string>> ParseShellWords(std::string_view command_line);

// The script without `line`, with which the command that it evaluates must begin.
Result<std::string> WithoutLine(const std::string& script, const std::string& line);

// The file into which the client has the shell write its last working directory; "" for none.
std::string DirectoryFile(std::string_view script);

}  // namespace ringfence
