#include "run/copy_project.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

#include "base/syscall.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "run/staged_run.h"
#include "sandbox/backend.h"

namespace ringfence {
namespace {

constexpr size_t kMaxCopierReason = 4096;

[[noreturn]] void BecomeCopier(const UniqueFd& reason, std::vector<std::string> words) {
  const bool is_ready =
      ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && ::dup2(reason.get(), STDOUT_FILENO) >= 0;
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
  sighandler_t before_;
};

}  // namespace

Status RunProjectCopy(const std::string& id, const std::string& home) {
  std::vector<std::string> words{"ringfence", "stage", "copy", id};
  if (!home.empty()) words.insert(words.end(), {"--home", home});
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return SystemError("pipe");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const WithoutInterrupt meanwhile;
  const pid_t child = ::fork();
  if (child < 0) return SystemError("fork");
  if (child == 0) {
    meanwhile.Restore();
    BecomeCopier(writing, std::move(words));
  }
  writing = UniqueFd();
  const Result<std::string> reason = ReadAll(reading.get(), kMaxCopierReason, "pipe");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return SystemError("waitpid");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Unit{};
  const bool is_told = reason && !reason->empty();
  return Error{Error::Kind::kSystem, "stage",
               "the project is not copied: " +
                   (is_told               ? Printable(*reason)
                    : WIFSIGNALED(status) ? "it was interrupted"
                                          : "ringfence-stage failed") +
                   "; nothing was run",
               ""};
}

}  // namespace ringfence
