#include "run/system_calls.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/syscall.h"

namespace ringfence {

Result<Pipe> MakePipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return SystemError("pipe");
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

UniqueFd MakeTimer(int milliseconds) {
  constexpr int64_t kMillisecond = 1'000'000;
  UniqueFd timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  const itimerspec once{
      .it_interval = {},
      .it_value = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * kMillisecond}};
  const bool is_set = timer.valid() && ::timerfd_settime(timer.get(), 0, &once, nullptr) == 0;
  return is_set ? std::move(timer) : UniqueFd();
}

bool CloseDescriptorsFrom(int first) { return ::syscall(SYS_close_range, first, ~0U, 0) == 0; }

bool EndWithParent() { return ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0; }

}  // namespace ringfence
