#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdint>

#include "base/syscall.h"
#include "staging/store/project_pause.h"

namespace ringfence {

// Looks ten times a second. inotify(7) would report each change, but the kernel takes more than ten
// milliseconds to close it, and every staged command would wait for that at its end.
Result<PauseWatch> PauseWatch::Begin(UniqueFd lock) {
  constexpr timespec kInterval{.tv_sec = 0, .tv_nsec = 100'000'000};
  constexpr itimerspec kTimes{.it_interval = kInterval, .it_value = kInterval};
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!timer.valid() || ::timerfd_settime(timer.get(), 0, &kTimes, nullptr) != 0) {
    return SystemError("timerfd");
  }
  return PauseWatch(std::move(lock), std::move(timer));
}

std::string PauseWatch::Look() const {
  uint64_t times = 0;
  [[maybe_unused]] const ssize_t got = ::read(events_.get(), &times, sizeof times);
  return Wanted();
}

}  // namespace ringfence
