// The entry point of ringfence's command line.
#include <cerrno>
#include <cstdio>
#include <exception>

#include "base/syscall.h"
#include "cli/command_line/options.h"
#include "run/messages.h"

namespace ringfence {
namespace {

// Partial output counts as failure, whatever the command returned: a shell continues after "&&".
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
