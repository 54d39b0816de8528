#include "staging/store/machine.h"

#include <sys/sysctl.h>

#include <array>
#include <cstring>

#include "base/syscall.h"

namespace ringfence {

std::string CurrentBoot() {
  std::array<char, 64> text{};  // a UUID has 36 characters
  size_t size = text.size();
  if (::sysctlbyname("kern.bootsessionuuid", text.data(), &size, nullptr, 0) != 0) return "";
  return {text.data(), ::strnlen(text.data(), text.size())};
}

int64_t TimeSinceBoot() { return Nanoseconds(CLOCK_MONOTONIC); }  // counts sleep on macOS

// Files get the time of CLOCK_REALTIME, or of another machine.
bool GetsLaterTimes(const UniqueFd& /*folder*/, int64_t /*time*/) { return false; }

Status AwaitFileTime(int64_t time) {
  if (Nanoseconds(CLOCK_REALTIME) > time) return Unit{};
  return Error{Error::Kind::kSystem, "clock", "was set back while the command was started", ""};
}

}  // namespace ringfence
