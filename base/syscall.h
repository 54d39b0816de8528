// Files, errno and clocks. No function here asks the environment.
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

// Takes errno at once: call it before anything else can change it.
Error SystemError(std::string_view call);
Error SystemError(std::string_view call, int code, Error::About about = Error::About::kOther);

// For who passes `code`, which is not 0, on and shows no text. It allocates nothing.
Error Errno(int code);

// open(2) with O_CLOEXEC. Invalid, with errno, where it fails. In one call: musl's open() makes
// two.
UniqueFd OpenFile(const char* path, int flags);

// Reads to the end. More than `limit` bytes is an error, so a growing file cannot exhaust memory.
// `expected` is how many there probably are.
Result<std::string> ReadAll(int fd, size_t limit, std::string_view what, size_t expected = 0);

// Of CLOCK_REALTIME since 1970, of CLOCK_MONOTONIC since the start of the system.
int64_t Nanoseconds(clockid_t clock);

// Writes every byte, going on after EINTR and short writes.
Status WriteAll(int fd, std::string_view bytes);

}  // namespace ringfence
