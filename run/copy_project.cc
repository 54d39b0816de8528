#include "run/copy_project.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

#include "base/syscall.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "run/staged_run.h"
#include "run/system_calls.h"
#include "sandbox/backend.h"

namespace ringfence {
namespace {

constexpr size_t kMaxCopierReason = 4096;

[[noreturn]] void BecomeCopier(const UniqueFd& reason, std::vector<std::string> words) {
  const bool is_ready = EndWithParent() && ::dup2(reason.get(), STDOUT_FILENO) >= 0;
  if (is_ready) {
    const Error error = BecomeStageProgram(std::move(words));
    [[maybe_unused]] const Status told = WriteAll(STDOUT_FILENO, error.text());
  }
  ::_exit(kSetupFailed);
}

// Ctrl-C ends the copier, which shares this process's terminal. This process has to remove the
// stage.
class WithoutInterrupt {
 public:
  WithoutInterrupt() : before_(::signal(SIGINT, SIG_IGN)) {}
  ~WithoutInterrupt() { ::signal(SIGINT, before_); }
  WithoutInterrupt(const WithoutInterrupt&) = delete;
  WithoutInterrupt& operator=(const WithoutInterrupt&) = delete;

  void Restore() const { ::signal(SIGINT, before_); }

 private:
  void (*before_)(int);
};

// Runs ringfence-stage. `failed` begins the error of a program that fails.
Status RunStageChild(std::vector<std::string> words, const std::string& home,
                     const std::string& failed) {
  if (!home.empty()) words.insert(words.end(), {"--home", home});
  Result<Pipe> pipe = MakePipe();
  if (!pipe) return pipe.error();
  const WithoutInterrupt meanwhile;
  const pid_t child = ::fork();
  if (child < 0) return SystemError("fork");
  if (child == 0) {
    meanwhile.Restore();
    BecomeCopier(pipe->writing, std::move(words));
  }
  pipe->writing = UniqueFd();
  const Result<std::string> reason = ReadAll(pipe->reading.get(), kMaxCopierReason, "pipe");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return SystemError("waitpid");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Unit{};
  const bool is_told = reason && !reason->empty();
  return Error{Error::Kind::kSystem, "stage",
               failed + ": " +
                   (is_told               ? Printable(*reason)
                    : WIFSIGNALED(status) ? "it was interrupted"
                                          : "ringfence-stage failed") +
                   "; nothing was run",
               ""};
}

}  // namespace

Status RunStageRecovery(const std::string& home) {
  return RunStageChild({"ringfence", "stage", "recover"}, home,
                       "what an interrupted command has left is not undone");
}

Status RunProjectCopy(const std::string& id, const std::string& home) {
  return RunStageChild({"ringfence", "stage", "copy", id}, home, "the project is not copied");
}

}  // namespace ringfence
