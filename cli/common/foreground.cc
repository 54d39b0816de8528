#include "cli/common/foreground.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/environment.h"
#include "base/program.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

class ForegroundSettings : NotCopied {
 public:
  ForegroundSettings() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    ::posix_spawnattr_setsigdefault(&attributes, &interrupt);
    // This process may hold signals back (HeldSignals).
    sigset_t mask;
    ::sigprocmask(SIG_SETMASK, nullptr, &mask);
    sigdelset(&mask, SIGTERM);
    sigdelset(&mask, SIGHUP);
    ::posix_spawnattr_setsigmask(&attributes, &mask);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~ForegroundSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

}  // namespace

IgnoreInterrupt::IgnoreInterrupt() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGINT, &ignore, &before_);
}

IgnoreInterrupt::~IgnoreInterrupt() { ::sigaction(SIGINT, &before_, nullptr); }

std::string FindInPath(std::string_view name) {
  const auto is_program = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
  if (name.find('/') != name.npos) {
    return name.starts_with('/') && is_program(std::string(name)) ? std::string(name) : "";
  }
  const std::string all = Variable("PATH");
  std::string_view rest = all;
  while (!rest.empty() && !name.empty()) {
    const std::string_view folder = TakeUntil(rest, ':');
    std::string path = std::string(folder) + "/" + std::string(name);
    if (folder.starts_with('/') && is_program(path)) return path;
  }
  return "";
}

Result<int> RunInForeground(const ForegroundCall& call) {
  std::vector<std::string> words = call.arguments;
  words.insert(words.begin(), call.program);
  std::vector<std::string> environment = call.environment;
  const IgnoreInterrupt ignore;
  ForegroundSettings settings;
  ::posix_spawn_file_actions_adddup2(&settings.actions, call.input, STDIN_FILENO);
  pid_t child = -1;
  const int code =
      ::posix_spawn(&child, call.program.c_str(), &settings.actions, &settings.attributes,
                    ArgumentPointers(words).data(), ArgumentPointers(environment).data());
  if (code != 0) return SystemError("start " + call.program, code);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return SystemError("waitpid");
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace ringfence
