#include "sandbox/linux/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/socket_pair.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr size_t kTerminalChunk = 16384;
constexpr int kLookForFrontMilliseconds = 200;
constexpr int kLookBesideMilliseconds = 100;
// A program that waits for a line reads it well within this time.
constexpr int64_t kLeftMilliseconds = 100;
constexpr timespec kUntilEchoed{.tv_sec = 0, .tv_nsec = 10'000'000};

int64_t Milliseconds() { return Nanoseconds(CLOCK_MONOTONIC) / 1'000'000; }

bool HasSameModes(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_lflag == b.c_lflag &&
         std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) == 0;
}

// True if lines are edited and echoed: a pager or a password prompt turns one of these off.
bool ShowsLines(const termios& modes) {
  return (modes.c_lflag & ICANON) != 0 && (modes.c_lflag & ECHO) != 0;
}

bool AddsReturns(const termios& modes) {
  return (modes.c_oflag & OPOST) != 0 && (modes.c_oflag & ONLCR) != 0;
}

// Removes the carriage return that a terminal puts before each newline.
std::string WithoutReturns(std::string_view bytes) {
  std::string kept;
  kept.reserve(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const bool is_added = bytes[i] == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n';
    if (!is_added) kept += bytes[i];
  }
  return kept;
}

// The descriptor can be non-blocking: any program that shares the terminal can set that.
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

// Returns the first standard stream that is a terminal, for output if possible; -1 for none.
int PersonsTerminal() {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO}) {
    if (::isatty(fd) != 0) return fd;
  }
  return -1;
}

struct Modes {
  termios before;
  termios taken;
};

// Reads until the launcher has ended, and returns the last modes that it sent. No signal can
// interrupt it, since the guard blocks all of them.
Modes HearAll(int launcher) {
  Modes last{};
  Modes next{};
  while (::read(launcher, &next, sizeof next) == static_cast<ssize_t>(sizeof next)) last = next;
  return last;
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
  if (::write(STDOUT_FILENO, "!", 1) != 1) ::_exit(1);  // tells the launcher that it is ready
  const Modes modes = HearAll(STDOUT_FILENO);
  termios now{};
  if (::tcgetattr(STDIN_FILENO, &now) == 0 && HasSameModes(now, modes.taken) &&
      now.c_cflag == modes.taken.c_cflag) {
    ::tcsetattr(STDIN_FILENO, TCSANOW, &modes.before);
  }
  ::_exit(0);
}

}  // namespace

TerminalUse FindTerminalUse() {
  const bool in = ::isatty(STDIN_FILENO) != 0;
  const bool out = ::isatty(STDOUT_FILENO) != 0;
  return {.own = in || out || ::isatty(STDERR_FILENO) != 0, .hears = in, .shares = in && !out};
}

bool IsInFront() {
  const pid_t group = ::getpgrp();
  return ::tcgetpgrp(STDIN_FILENO) == group || ::tcgetpgrp(STDOUT_FILENO) == group ||
         ::tcgetpgrp(STDERR_FILENO) == group;
}

TerminalStart ReadTerminalStart(TerminalUse use) {
  TerminalStart start;
  const int person = PersonsTerminal();
  ::ioctl(person, TIOCGWINSZ, &start.size);
  // A shell in the foreground has set modes for its own use, and so has a pager in this job.
  const bool is_alike = ::tcgetattr(person, &start.modes) == 0 &&
                        ::tcgetpgrp(person) == ::getpgrp() &&
                        (!use.shares || ShowsLines(start.modes));
  if (!is_alike) {
    const UniqueFd fresh(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    ::tcgetattr(fresh.get(), &start.modes);
  }
  // The user's terminal does it.
  if (!use.hears) start.modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  return start;
}

Status PrepareTerminal(const UniqueFd& master, const TerminalStart& start) {
  ::ioctl(master.get(), TIOCSWINSZ, &start.size);
  return CallStatus(::tcsetattr(master.get(), TCSANOW, &start.modes) == 0, "tcsetattr");
}

TerminalRelay::~TerminalRelay() { GiveBack(Input::kNone); }

Status TerminalRelay::Begin(UniqueFd master, const termios& first, TerminalUse use) {
  // The launcher must not wait for a command that does not read.
  if (::fcntl(master.get(), F_SETFL, O_RDWR | O_NONBLOCK) != 0) return SystemError("fcntl");
  person_ = PersonsTerminal();
  first_ = first;
  master_ = std::move(master);
  PassSize();
  shares_ = use.shares;
  input_ = use.hears ? Input::kAway : Input::kNone;
  Look();
  return Unit{};
}

int TerminalRelay::wait_milliseconds() const {
  if (input_ == Input::kAway) return kLookForFrontMilliseconds;
  const bool is_shared = shares_ && (input_ == Input::kBeside || for_modes_);
  return is_shared ? kLookBesideMilliseconds : -1;
}

void TerminalRelay::Suspend() {
  if (input_ == Input::kNone) return;
  Drain();
  GiveBack(Input::kAway);
}

void TerminalRelay::Look() {
  if (input_ == Input::kNone) return;
  const bool in_front = ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  if (input_ == Input::kAway && in_front) {
    input_ = Input::kBeside;
    PassSize();
  }
  if (input_ == Input::kBeside && !in_front) input_ = Input::kAway;
  if (input_ == Input::kBeside && !shares_) Take();
  if (input_ == Input::kBeside && CommandChangedModes()) {
    Take();
    for_modes_ = input_ == Input::kTaken;
  }
  if (input_ == Input::kBeside && HasLeftLine()) TakeLine();
  if (for_modes_ && !CommandChangedModes()) GiveBack(Input::kBeside);
}

bool TerminalRelay::CommandChangedModes() const {
  termios now{};
  return ::tcgetattr(master_.get(), &now) == 0 && !HasSameModes(now, first_);
}

// Another program that reads the terminal takes a line at once, so a line that stays unread is
// meant for the command.
bool TerminalRelay::HasLeftLine() {
  pollfd typed{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  termios now{};
  const bool is_there =
      ::poll(&typed, 1, 0) > 0 && ::tcgetattr(STDIN_FILENO, &now) == 0 && ShowsLines(now);
  if (!is_there) {
    left_since_ = 0;
    return false;
  }
  if (left_since_ == 0) left_since_ = Milliseconds();
  return Milliseconds() - left_since_ >= kLeftMilliseconds;
}

void TerminalRelay::Take() {
  if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
  // Another program of the job is reading keys or a password.
  if (shares_ && !ShowsLines(before_)) return;
  termios raw = before_;
  ::cfmakeraw(&raw);
  guard_.Watch(before_, raw);
  if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0) return;
  if (::tcgetattr(STDIN_FILENO, &raw) == 0) guard_.Watch(before_, raw);  // as the driver set them
  input_ = Input::kTaken;
  PassSize();
}

void TerminalRelay::GiveBack(Input next) {
  if (input_ == Input::kTaken) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
  input_ = next;
  for_modes_ = false;
  left_since_ = 0;
}

// The user's terminal has already echoed the line, so the command's terminal must not.
void TerminalRelay::TakeLine() {
  std::array<char, kTerminalChunk> bytes{};
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got < 0) return;
  typed_.assign(bytes.data(), static_cast<size_t>(got));
  if (got == 0) typed_ = static_cast<char>(first_.c_cc[VEOF]);
  PassSilently();
  Take();
}

void TerminalRelay::PassSilently() {
  termios modes{};
  if (::tcgetattr(master_.get(), &modes) != 0) return PassInput();
  termios silent = modes;
  silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
  ::tcsetattr(master_.get(), TCSANOW, &silent);
  PassInput();
  ::nanosleep(&kUntilEchoed, nullptr);  // the kernel processes the input later, without notice
  termios now{};
  const bool is_mine = ::tcgetattr(master_.get(), &now) == 0 && HasSameModes(now, silent);
  if (is_mine) ::tcsetattr(master_.get(), TCSANOW, &modes);
}

void TerminalRelay::ReadInput() {
  std::array<char, kTerminalChunk> bytes{};
  const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) return GiveBack(Input::kNone);
  typed_.assign(bytes.data(), static_cast<size_t>(got));
  LookForInterrupt();
  PassInput();
}

void TerminalRelay::LookForInterrupt() {
  termios modes{};
  has_interrupted_ = ::tcgetattr(master_.get(), &modes) == 0 && (modes.c_lflag & ISIG) != 0 &&
                     typed_.find(static_cast<char>(modes.c_cc[VINTR])) != std::string::npos;
}

void TerminalRelay::PassInput() {
  const ssize_t put = ::write(master_.get(), typed_.data(), typed_.size());
  if (put < 0 && (errno == EINTR || errno == EAGAIN)) return;
  typed_.erase(0, put < 0 ? typed_.size() : static_cast<size_t>(put));
}

bool TerminalRelay::PassOutput() {
  std::array<char, kTerminalChunk> bytes{};
  const ssize_t got = ::read(master_.get(), bytes.data(), bytes.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (got <= 0) return false;  // EIO: no process has the other side open
  if (shares_) Look();         // a full-screen program sets its modes first
  return Write({bytes.data(), static_cast<size_t>(got)});
}

// Unless the user's terminal is in raw mode, both terminals put a carriage return before a newline.
bool TerminalRelay::Write(std::string_view bytes) const {
  termios own{};
  termios persons{};
  const bool adds = shares_ && input_ != Input::kTaken && ::tcgetattr(master_.get(), &own) == 0 &&
                    AddsReturns(own) && ::tcgetattr(person_, &persons) == 0 && AddsReturns(persons);
  return WriteFully(person_, adds ? WithoutReturns(bytes) : std::string(bytes));
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
  relay.Suspend();
  sigset_t stop;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTSTP);
  ::kill(signal == SIGTSTP ? 0 : ::getpid(), SIGTSTP);
  // The process stops here, unless its group is orphaned.
  ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
  sigset_t pending;
  return ::sigpending(&pending) != 0 || ::sigismember(&pending, SIGCONT) == 0;
}

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
    pair->other = UniqueFd();  // so that the read returns if the guard is killed
    char ready = 0;
    // Until the guard has left the launcher's group, a signal that ends the group ends it too.
    if (::read(launcher_.get(), &ready, 1) != 1) return;
  }
  const Modes modes{.before = before, .taken = taken};
  // Fails if the guard was killed.
  [[maybe_unused]] const ssize_t sent = ::send(launcher_.get(), &modes, sizeof modes, MSG_NOSIGNAL);
}

}  // namespace ringfence
