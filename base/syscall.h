// Files, errno and clocks. No function here reads the environment.
#pragma once

#include <time.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// The name of an errno value ("ENOENT"), since strerror needs a locale and most of the C library.
std::string ErrnoName(int code);

// Reads errno: call it before anything else can change errno.
Error SystemError(std::string_view call);
Error SystemError(std::string_view call, int code, Error::About about = Error::About::kOther);

// Success, or the error of a call that has just failed, by errno.
Status CallStatus(bool is_done, std::string_view call, Error::About about = Error::About::kOther);

// For callers that only pass on `code`, which is not 0, and show no text. Allocates nothing.
Error Errno(int code);

// open(2) with O_CLOEXEC. On failure, returns an invalid descriptor and leaves the cause in errno.
// Makes one system call; musl's open() makes two.
UniqueFd OpenFile(const char* path, int flags);

// Reads to the end. More than `limit` bytes is an error, so a growing file cannot exhaust memory.
// `expected` is the probable number of bytes.
Result<std::string> ReadAll(int fd, size_t limit, std::string_view what, size_t expected = 0);

// The same for a file of /proc or /sys.
inline constexpr size_t kMaxSystemFile = 65536;
Result<std::string> ReadSystemFile(const std::string& path, size_t limit = kMaxSystemFile);

// Nanoseconds since 1970 for CLOCK_REALTIME, since system start for CLOCK_MONOTONIC.
int64_t Nanoseconds(clockid_t clock);

// Writes all bytes; continues after EINTR and short writes.
Status WriteAll(int fd, std::string_view bytes);

}  // namespace ringfence
