// The command that people type.
#include <cerrno>
#include <cstdio>
#include <exception>

#include "base/syscall.h"
#include "cli/command_line/options.h"
#include "run/messages.h"

namespace ringfence {
namespace {

// Half an answer is none, whatever the command made of it: a shell goes on behind "&&".
int WithOutput(int status) {
  errno = 0;
  const bool is_whole = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (is_whole || status == 2) return status;
  Error error{Error::Kind::kSystem, "standard output", "could not be written",
              "free some space or write to another place, and run it again"};
  if (errno != 0) error.what += ": " + ErrnoName(errno);
  PrintError(error);
  return 2;
}

}  // namespace
}  // namespace ringfence

int main(int argc, char** argv) {
  try {
    return ringfence::WithOutput(ringfence::RunCommandLine(argc, argv));
  } catch (const std::exception& exception) {
    ringfence::PrintError({ringfence::Error::Kind::kSystem, "", exception.what(), ""});
    return 2;
  }
}
