// Every way for the hook to end without an answer ends in exit status 2, which blocks the call:
// crashes, std::terminate, no memory, no time, a stopped output. What no process can catch
// (SIGKILL, a failed exec) is what the registration's "onFailure": "block" is for.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace ringfence {

// Called first in main. Signal handlers run on a stack of their own, so that an overflow of the
// normal one is caught; signals that only ask to stop wait until the answer is out; memory and time
// are bounded.
Status FailClosed();

// Prints one line and ends the process with status 2. Async-signal-safe.
[[noreturn]] void Refuse(std::string_view line);

// Ends the process without running destructors; both streams are written by then.
[[noreturn]] void Exit(int status);

// An ordinary event needs less than one MiB.
constexpr size_t kMaxMemory = size_t{256} << 20;  // bytes

// Provided by the run-time library in use (runtime_glibc.cc, runtime_musl.cc): uncaught exceptions,
// failed allocations, abort() and more than kMaxMemory call Refuse. Called once, before any work.
Status BoundRuntime();

}  // namespace ringfence
