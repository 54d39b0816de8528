#include "cli/common/pager.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/program.h"
#include "base/syscall.h"
#include "base/unique_fd.h"

namespace ringfence {
namespace {

// Fixed paths: PATH and $PAGER are not used, because the user's current directory may set both.
constexpr const char* kPagers[] = {"/usr/bin/less", "/bin/less", "/usr/local/bin/less",
                                   "/opt/homebrew/bin/less"};

const char* FindPager() {
  for (const char* pager : kPagers) {
    if (::access(pager, X_OK) == 0) return pager;
  }
  return nullptr;
}

std::vector<std::string> PagerEnvironment() {
  std::vector<std::string> environment{"LESSSECURE=1"};  // no shell, no other files
  for (const char* name : {"TERM", "LANG", "LC_ALL", "LC_CTYPE", "COLUMNS", "LINES"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

// Returns true after the pager has exited; false if it was not started.
bool ShowInPager(const char* pager, const std::string& text) {
  std::array<int, 2> fds{};
  if (::pipe(fds.data()) != 0) return false;
  UniqueFd reading(fds[0]);
  UniqueFd writing(fds[1]);
  ::fcntl(reading.get(), F_SETFD, FD_CLOEXEC);
  ::fcntl(writing.get(), F_SETFD, FD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, reading.get(), STDIN_FILENO);
  // -F: prints text that fits on the screen without waiting for a key.
  std::vector<std::string> arguments{pager, "-F", "-X"};
  std::vector<std::string> environment = PagerEnvironment();
  pid_t pid = 0;
  const int failed =
      ::posix_spawn(&pid, pager, &actions, nullptr, ArgumentPointers(arguments).data(),
                    ArgumentPointers(environment).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  reading = UniqueFd();
  std::signal(SIGPIPE, SIG_IGN);  // the user may quit the pager before the end of the text
  [[maybe_unused]] const Status written = WriteAll(writing.get(), text);
  writing = UniqueFd();
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return true;
}

}  // namespace

void ShowText(const std::string& text) {
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0 && ::isatty(STDIN_FILENO) != 0;
  const char* pager = is_terminal ? FindPager() : nullptr;
  if (pager != nullptr && ShowInPager(pager, text)) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace ringfence
