#include "cli/common/held_signals.h"

namespace ringfence {
namespace {

constexpr int kEndSignals[] = {SIGTERM, SIGHUP};

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t before;
  sigemptyset(&held_);
  ::sigprocmask(SIG_SETMASK, nullptr, &before);
  for (const int signal : kEndSignals) {
    struct sigaction action {};
    const bool ends = ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_DFL;
    if (ends && sigismember(&before, signal) == 0) sigaddset(&held_, signal);
  }
  ::sigprocmask(SIG_BLOCK, &held_, nullptr);
}

int HeldSignals::Arrived() {
  sigset_t pending;
  if (arrived_ != 0 || ::sigpending(&pending) != 0) return arrived_;
  for (const int signal : kEndSignals) {
    const bool has_come = sigismember(&held_, signal) == 1 && sigismember(&pending, signal) == 1;
    if (has_come) arrived_ = signal;
  }
  return arrived_;
}

void HeldSignals::Release() {
  for (const int signal : kEndSignals) {
    if (arrived_ == 0 || sigismember(&held_, signal) != 1) continue;
    ::signal(signal, SIG_IGN);  // discards one that waits to be delivered
    ::signal(signal, SIG_DFL);
  }
  ::sigprocmask(SIG_UNBLOCK, &held_, nullptr);
  sigemptyset(&held_);
}

}  // namespace ringfence
