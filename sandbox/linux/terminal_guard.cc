#include "sandbox/linux/terminal_guard.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/socket_pair.h"

namespace ringfence {
namespace {

struct Modes {
  termios before;
  termios taken;
};

bool AreSameModes(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_cflag == b.c_cflag &&
         a.c_lflag == b.c_lflag && std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) == 0;
}

// Reads until the launcher has ended, and returns the last modes that it sent.
Modes HearAll(int launcher) {
  Modes last{};
  Modes next{};
  for (;;) {
    const ssize_t got = ::read(launcher, &next, sizeof next);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof next)) return last;
    last = next;
  }
}

[[noreturn]] void Guard(int launcher) {
  // Leaves the launcher's group, since `kill -9 %1` ends all of it, and its controlling terminal,
  // so that the kernel does not stop the guard for changing the modes in the background.
  ::setsid();
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::prctl(PR_SET_NAME, "ringfence-guard", 0, 0, 0);
  // Open copies of the launcher's other descriptors would keep a reader of its output waiting.
  ::dup2(launcher, STDOUT_FILENO);
  ::syscall(SYS_close_range, STDERR_FILENO, ~0U, 0);
  const Modes modes = HearAll(STDOUT_FILENO);
  termios now{};
  if (::tcgetattr(STDIN_FILENO, &now) == 0 && AreSameModes(now, modes.taken)) {
    ::tcsetattr(STDIN_FILENO, TCSANOW, &modes.before);
  }
  ::_exit(0);
}

}  // namespace

TerminalGuard::~TerminalGuard() {
  if (guard_ < 0) return;
  launcher_ = UniqueFd();
  while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void TerminalGuard::Watch(const termios& before, const termios& taken) {
  if (guard_ < 0) {
    Result<SocketPair> pair = MakeSocketPair(SOCK_SEQPACKET);
    if (!pair) return;
    launcher_ = std::move(pair->own);
    // clone(2) instead of fork(2): there is only one thread, and the C library need not be told.
    guard_ = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (guard_ == 0) Guard(pair->other.get());
    if (guard_ < 0) return;
  }
  const Modes modes{.before = before, .taken = taken};
  // Fails if the guard was killed.
  [[maybe_unused]] const ssize_t sent = ::send(launcher_.get(), &modes, sizeof modes, MSG_NOSIGNAL);
}

}  // namespace ringfence
