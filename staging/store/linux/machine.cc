#include "staging/store/machine.h"

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

// File systems take the times of files from this clock, which advances in steps of a few
// milliseconds, or from CLOCK_REALTIME if a file's time was looked at before (since Linux 6.13).
int64_t FileTime() { return Nanoseconds(CLOCK_REALTIME_COARSE); }

}  // namespace ringfence
