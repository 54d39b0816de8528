// The clocks of this machine, and its start: staging/store/linux, staging/store/macos.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// Identifies this start of the machine; "" if the system does not say.
std::string CurrentBoot();

// Nanoseconds since then, also those in which the machine slept.
int64_t TimeSinceBoot();

// Changes the directory's ctime (stat(2)). Returns true if every file that is written from now on
// gets a later time than `time`, in nanoseconds since 1970; AwaitFileTime() is not needed then.
bool GetsLaterTimes(const UniqueFd& folder, int64_t time);

// Waits until files that are written get times later than `time`, in nanoseconds since 1970. Their
// clock can be a few milliseconds behind CLOCK_REALTIME. Fails if it does not get there, because
// the clock was set back.
Status AwaitFileTime(int64_t time);

}  // namespace ringfence
