#include "staging/store/machine.h"

#include <time.h>

#include "base/syscall.h"

namespace ringfence {

// random(4)
std::string CurrentBoot() {
  Result<std::string> text = ReadSystemFile("/proc/sys/kernel/random/boot_id");
  if (!text) return "";
  while (text->ends_with('\n')) text->pop_back();
  return std::move(*text);
}

int64_t TimeSinceBoot() { return Nanoseconds(CLOCK_BOOTTIME); }

// File systems take the times of files from CLOCK_REALTIME_COARSE, which advances in steps of a few
// milliseconds, or from CLOCK_REALTIME if a file's time was looked at before (since Linux 6.13).
Status AwaitFileTime(int64_t time) {
  constexpr int kTries = 500;
  constexpr timespec kShort{.tv_sec = 0, .tv_nsec = 200'000};
  for (int i = 0; i < kTries && Nanoseconds(CLOCK_REALTIME_COARSE) <= time; ++i) {
    ::nanosleep(&kShort, nullptr);
  }
  if (Nanoseconds(CLOCK_REALTIME_COARSE) > time) return Unit{};
  return Error{Error::Kind::kSystem, "clock", "was set back while the command was started", ""};
}

}  // namespace ringfence
