// The clocks of this machine, and its start: staging/store/linux, staging/store/macos.
#pragma once

#include <cstdint>
#include <string>

namespace ringfence {

// Identifies this start of the machine; "" if the system does not say.
std::string CurrentBoot();

// Nanoseconds since then, also those in which the machine slept.
int64_t TimeSinceBoot();

// The time that a file gets that is written now, at the earliest: nanoseconds since 1970. The clock
// of files can be a few milliseconds behind the system's.
int64_t FileTime();

}  // namespace ringfence
