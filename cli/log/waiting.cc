#include "cli/log/waiting.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>

namespace ringfence {
namespace {

volatile std::sig_atomic_t ended = 0;

void OnSignal(int) { ended = 1; }

}  // namespace

Waiting::Waiting() {
  struct sigaction action {};
  action.sa_handler = OnSignal;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool Waiting::is_over() const { return ended != 0; }

bool Waiting::For(int milliseconds, bool is_watched) const {
  if (ended != 0) return false;
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  ::poll(&output, is_watched ? 1 : 0, milliseconds);
  const bool is_gone = is_watched && (output.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
  return ended == 0 && !is_gone;
}

}  // namespace ringfence
