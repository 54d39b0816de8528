#include "hook/fail_closed.h"

#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr time_t kDeadline = 5;  // seconds; the registration's own timeout is 10

#ifdef RINGFENCE_SANITIZED
constexpr bool kSanitized = true;  // a sanitizer reports crashes itself, and needs memory
#else
constexpr bool kSanitized = false;
#endif

struct Caught {
  int signal;
  std::string_view line;
  bool is_crash;
};
constexpr Caught kCaught[] = {
    {SIGSEGV, "ringfence: internal error (SIGSEGV); the call is refused\n", true},
    {SIGBUS, "ringfence: internal error (SIGBUS); the call is refused\n", true},
    {SIGFPE, "ringfence: internal error (SIGFPE); the call is refused\n", true},
    {SIGILL, "ringfence: internal error (SIGILL); the call is refused\n", true},
    {SIGTRAP, "ringfence: internal error (SIGTRAP); the call is refused\n", true},
    {SIGSYS, "ringfence: a system call is not allowed here (SIGSYS); the call is refused\n", false},
    {SIGXCPU, "ringfence: out of processor time; the call is refused\n", false},
    {SIGALRM, "ringfence: no answer in time; the call is refused\n", false},
};

void Handle(int signal) {
  for (const Caught& caught : kCaught) {
    if (caught.signal == signal) Refuse(caught.line);
  }
  Refuse("ringfence: stopped by a signal; the call is refused\n");
}

// Static, so that it exists even if no memory is left.
alignas(16) std::array<char, 16384> signal_stack;

Status UseSignalStack() {
  stack_t stack{};
  stack.ss_sp = signal_stack.data();
  stack.ss_size = signal_stack.size();
  return CallStatus(::sigaltstack(&stack, nullptr) == 0, "sigaltstack");
}

Status CatchSignals() {
  struct sigaction action {};
  action.sa_handler = Handle;
  action.sa_flags = SA_ONSTACK;
  for (const Caught& caught : kCaught) {
    if (kSanitized && caught.is_crash) continue;
    if (::sigaction(caught.signal, &action, nullptr) != 0) return SystemError("sigaction");
  }
  // All other signals stay blocked: the run is short, and a failed write returns an error.
  sigset_t wait;
  sigfillset(&wait);
  for (const Caught& caught : kCaught) sigdelset(&wait, caught.signal);
  return CallStatus(::sigprocmask(SIG_SETMASK, &wait, nullptr) == 0, "sigprocmask");
}

Status BoundTime() {
  itimerval timer{};
  timer.it_value.tv_sec = kDeadline;
  return CallStatus(::setitimer(ITIMER_REAL, &timer, nullptr) == 0, "setitimer");
}

}  // namespace

Status FailClosed() {
  if (!kSanitized) {
    if (Status s = UseSignalStack(); !s) return s;
    if (Status s = BoundRuntime(); !s) return s;
  }
  if (Status s = CatchSignals(); !s) return s;
  return BoundTime();
}

Status LiftLimits() {
  constexpr itimerval kNone{};
  sigset_t none;
  sigemptyset(&none);
  if (::setitimer(ITIMER_REAL, &kNone, nullptr) != 0) return SystemError("setitimer");
  return CallStatus(::sigprocmask(SIG_SETMASK, &none, nullptr) == 0, "sigprocmask");
}

void Refuse(std::string_view line) {
  // A failure of this write cannot be reported, and the write must not block: a line fits into a
  // pipe that has any room at all (pipe(7)).
  pollfd wait{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (::poll(&wait, 1, 0) <= 0) Exit(2);
  [[maybe_unused]] const ssize_t put = ::write(STDERR_FILENO, line.data(), line.size());
  Exit(2);
}

void Exit(int status) { ::_exit(status); }

}  // namespace ringfence
