#include "sandbox/linux/waiting_opens.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sandbox/linux/location.h"

namespace ringfence {
namespace {

// ERESTARTSYS: with a signal pending, the kernel turns it into EINTR or restarts the call, as the
// handler's SA_RESTART flag says.
constexpr int kRestart = 512;
constexpr size_t kTriesAtOnce = 32;  // so that other calls are served in between

bool IsAnswered(const Supervision::WaitingOpen& open, int listener, Supervision& supervision) {
  const SupervisedCaller caller(open.call, listener, supervision);
  if (!caller.IsWaiting()) return true;
  UniqueFd opened;
  const int code = TryFifo(supervision, open.fifo, open.flags, opened);
  if (code == ENXIO && !caller.HasSignal()) return false;
  if (code == ENXIO) {
    caller.ReturnError(kRestart);
  } else if (code == 0) {
    caller.ReturnDescriptor(std::move(opened), (open.flags & O_CLOEXEC) != 0);
  } else {
    caller.ReturnError(code);
  }
  return true;
}

}  // namespace

int TryFifo(const Supervision& supervision, const UniqueFd& handle, int flags, UniqueFd& opened) {
  const int wanted = flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW);
  opened = ReopenFile(supervision, handle, wanted | O_NONBLOCK | O_NOCTTY);
  if (!opened.valid()) return errno;
  return (flags & O_NONBLOCK) != 0 ? 0 : MakeBlocking(opened);
}

int MakeBlocking(const UniqueFd& file) {
  const int status = ::fcntl(file.get(), F_GETFL);
  return ::fcntl(file.get(), F_SETFL, status & ~O_NONBLOCK) == 0 ? 0 : errno;
}

void TryWaiting(int listener, Supervision& supervision) {
  std::vector<Supervision::WaitingOpen>& waiting = supervision.waiting;
  const size_t tries = std::min(waiting.size(), kTriesAtOnce);
  // Opens that are not tried now come first the next time.
  std::rotate(waiting.begin(), waiting.begin() + static_cast<ptrdiff_t>(tries), waiting.end());
  const auto first = waiting.end() - static_cast<ptrdiff_t>(tries);
  const auto done = std::remove_if(first, waiting.end(), [&](const auto& open) {
    return IsAnswered(open, listener, supervision);
  });
  waiting.erase(done, waiting.end());
}

}  // namespace ringfence
