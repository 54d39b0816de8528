// Runs the user's own programs on the terminal: an editor, a pager.
#pragma once

#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "base/not_copied.h"
#include "base/result.h"

namespace ringfence {

// The absolute path of a program, as a shell finds it; "" if there is none. Directories of PATH
// that are not absolute do not count, since their contents depend on the current directory.
std::string FindInPath(std::string_view name);

struct ForegroundCall {
  std::string program;  // absolute
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  int input = 0;  // its standard input
};

// Ctrl-C is for the process that this one waits for, and not for this one.
class IgnoreInterrupt : NotCopied {
 public:
  IgnoreInterrupt();
  ~IgnoreInterrupt();

 private:
  struct sigaction before_ {};
};

// Waits until the program has ended. Ctrl-C is for the program. Returns its exit status, as a shell
// reports it.
Result<int> RunInForeground(const ForegroundCall& call);

}  // namespace ringfence
