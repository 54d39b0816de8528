#include "staging/base_keeper.h"

#include <poll.h>

#include <cerrno>

#include "base/syscall.h"
#include "staging/git_bases.h"

namespace ringfence {

// Nothing reports here which file of a tree changes, so only what git has is known later.
Status KeepBasesWhileRunning(const Stage& stage, const BaseVersions&, int stop) {
  (void)NoteGitBases(stage);  // without them, more can become conflicts
  pollfd polled{.fd = stop, .events = POLLIN, .revents = 0};
  while (::poll(&polled, 1, -1) < 0) {
    if (errno != EINTR) return SystemError("poll");
  }
  return Unit{};
}

}  // namespace ringfence
