#include <sys/inotify.h>
#include <unistd.h>

#include <array>

#include "base/syscall.h"
#include "staging/store/project_pause.h"

namespace ringfence {

Result<PauseWatch> PauseWatch::Begin(UniqueFd lock) {
  UniqueFd events(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!events.valid()) return SystemError("inotify_init1");
  const std::string name = "/proc/self/fd/" + std::to_string(lock.get());
  if (::inotify_add_watch(events.get(), name.c_str(), IN_MODIFY) < 0) {
    return SystemError("inotify_add_watch");
  }
  return PauseWatch(std::move(lock), std::move(events));
}

std::string PauseWatch::Look() const {
  alignas(inotify_event) std::array<char, 4096> unread{};
  while (::read(events_.get(), unread.data(), unread.size()) > 0) {
  }
  return Wanted();
}

}  // namespace ringfence
