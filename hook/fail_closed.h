// If the hook ends without an answer, it exits with status 2, which blocks the call: after a crash,
// std::terminate, out of memory, a timeout, or a blocked output. The registration's "onFailure":
// "block" covers what no process can catch (SIGKILL, a failed exec).
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace ringfence {

// Called first in main. Runs signal handlers on a separate stack, so that a stack overflow is
// caught; holds back signals that only ask to stop until the answer is out; limits memory and time.
Status FailClosed();

// Undoes FailClosed() for a program that takes the place of this process.
Status LiftLimits();

// Prints one line and ends the process with status 2. Async-signal-safe.
[[noreturn]] void Refuse(std::string_view line);

// Ends the process without running destructors; the caller has written all output.
[[noreturn]] void Exit(int status);

// An ordinary event needs less than one MiB.
constexpr size_t kMaxMemory = size_t{256} << 20;  // bytes

// Defined for each run-time library (runtime_glibc.cc, runtime_musl.cc). Makes uncaught exceptions,
// failed allocations, abort() and exceeding kMaxMemory call Refuse(). Called once, before any work.
Status BoundRuntime();

}  // namespace ringfence
