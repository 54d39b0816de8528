// `ringfence`: starts confined commands itself, since every command pays for the start; hands
// everything else over to ringfence-cli, which is in the same directory.
#include <fcntl.h>
#include <unistd.h>

#include <span>
#include <string>
#include <string_view>

#include "base/path.h"
#include "base/program.h"
#include "base/syscall.h"
#include "run/enter.h"
#include "run/messages.h"
#include "run/start.h"
#include "sandbox/backend.h"

namespace ringfence {
namespace {

// Returns only on failure.
Error HandOver(char** argv) {
  const Result<std::string> own = OwnProgramReal();
  if (!own) return own.error();
  const std::optional<Path> path = Path::Parse(own->empty() ? OwnProgram() : *own);
  if (!path) {
    return Error{Error::Kind::kSystem, "", "this program's own directory is unknown",
                 "start it by its absolute path"};
  }
  const std::string program = path->Parent().Child("ringfence-cli").text();
  ::execve(program.c_str(), argv, environ);
  Error error = SystemError("start " + program);
  error.hint = "ringfence and ringfence-cli belong together: install both with install.sh";
  return error;
}

// Opens /dev/null in place of each closed standard stream. Otherwise a file that is opened later
// could take its number, and the command would inherit it.
bool HasStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", O_RDWR) != fd) return false;
  }
  return true;
}

int Main(std::span<char*> words) {
  if (!HasStreams()) return kSetupFailed;
  if (words.size() > 1 && std::string_view(words[1]) == "enter") return Enter(words);
  if (words.size() > 2 && std::string_view(words[1]) == "run") {
    if (const std::optional<RunOptions> options = ReadRunLine(words.subspan(2))) {
      const Outcome outcome = RunUnderPolicy(*options);
      if (outcome.error) PrintError(*outcome.error);
      return outcome.status;
    }
  }
  PrintError(HandOver(words.data()));
  return 2;
}

}  // namespace
}  // namespace ringfence

int main(int argc, char** argv) {
  return ringfence::Main({argv, static_cast<size_t>(argc < 0 ? 0 : argc)});
}
