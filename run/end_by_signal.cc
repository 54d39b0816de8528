#include "run/end_by_signal.h"

#include <csignal>

namespace ringfence {

void EndBySignal(int signal) {
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  if (::signal(signal, SIG_DFL) == SIG_ERR || ::raise(signal) != 0) return;
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
}

}  // namespace ringfence
