#include "sandbox/linux/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kChunk = 16384;

// The descriptors may be non-blocking: whoever shares the terminal decides that.
bool WriteFully(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), bytes.size());
    if (put > 0) {
      bytes.remove_prefix(static_cast<size_t>(put));
    } else if (put < 0 && errno == EAGAIN) {
      pollfd wait{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&wait, 1, -1);
    } else if (put == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

TerminalUse FindTerminalUse() {
  const bool in = ::isatty(STDIN_FILENO) != 0;
  const bool out = ::isatty(STDOUT_FILENO) != 0;
  const bool in_front = in && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  if (in_front && !out) return {};
  return {.own = in || out || ::isatty(STDERR_FILENO) != 0, .hears = in && out};
}

TerminalRelay::~TerminalRelay() {
  if (is_raw_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

Status TerminalRelay::Begin(UniqueFd master, TerminalUse use) {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO}) {
    if (person_ < 0 && ::isatty(fd) != 0) person_ = fd;
  }
  // What a shell that is in front has made of the person's is for the shell.
  const bool is_alike = ::tcgetpgrp(person_) == ::getpgrp();
  termios own{};
  if (::tcgetattr(is_alike ? person_ : master.get(), &own) != 0) return SystemError("tcgetattr");
  if (!use.hears) own.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // the person's does it
  ::tcsetattr(master.get(), TCSANOW, &own);
  // Who does not read what is typed keeps nobody waiting here.
  if (::fcntl(master.get(), F_SETFL, O_RDWR | O_NONBLOCK) != 0) return SystemError("fcntl");
  master_ = std::move(master);
  PassSize();
  is_away_ = use.hears;
  Resume();
  return Unit{};
}

void TerminalRelay::Suspend() {
  if (!hears_person_) return;
  Drain();
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  is_raw_ = hears_person_ = false;
  is_away_ = true;
}

void TerminalRelay::Resume() {
  if (!is_away_ || ::tcgetpgrp(STDIN_FILENO) != ::getpgrp()) return;
  if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
  termios raw = before_;
  ::cfmakeraw(&raw);
  if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0) return;
  is_raw_ = hears_person_ = true;
  is_away_ = false;
  PassSize();
}

void TerminalRelay::ReadInput() {
  std::array<char, kChunk> bytes{};
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    hears_person_ = false;
    return;
  }
  typed_.assign(bytes.data(), static_cast<size_t>(got));
  PassInput();
}

void TerminalRelay::PassInput() {
  const ssize_t put = ::write(master_.get(), typed_.data(), typed_.size());
  if (put < 0 && (errno == EINTR || errno == EAGAIN)) return;
  typed_.erase(0, put < 0 ? typed_.size() : static_cast<size_t>(put));
}

bool TerminalRelay::PassOutput() {
  std::array<char, kChunk> bytes{};
  const ssize_t got = ::read(master_.get(), bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (got <= 0) return false;  // EIO: nobody has the other side open
  return WriteFully(person_, {bytes.data(), static_cast<size_t>(got)});
}

void TerminalRelay::PassSize() const {
  winsize size{};
  if (::ioctl(person_, TIOCGWINSZ, &size) == 0) ::ioctl(master_.get(), TIOCSWINSZ, &size);
}

void TerminalRelay::Drain() {
  pollfd more{.fd = master_.get(), .events = POLLIN, .revents = 0};
  while (master_.valid() && ::poll(&more, 1, 0) > 0 && (more.revents & POLLIN) != 0) {
    if (!PassOutput()) return;
  }
}

bool StopAlike(TerminalRelay& relay, int signal) {
  bool in_front = false;
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    in_front = in_front || ::tcgetpgrp(fd) == ::getpgrp();
  }
  if (!in_front) return false;
  relay.Suspend();
  sigset_t stop;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTSTP);
  ::kill(signal == SIGTSTP ? 0 : ::getpid(), SIGTSTP);
  // Here it stops, unless its group is orphaned.
  ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
  sigset_t pending;
  return ::sigpending(&pending) != 0 || ::sigismember(&pending, SIGCONT) == 0;
}

}  // namespace ringfence
