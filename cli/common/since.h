// Parses times: those of the audit log, and of --since.
#pragma once

#include <time.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/syscall.h"

namespace ringfence {

// Parses ISO 8601 as the audit log writes it, also with a UTC offset, to seconds; nullopt for other
// text. A minute may have a leap second.
std::optional<int64_t> UnixTime(std::string_view text);

// True for a valid time in the form of the audit log: "2026-10-14T16:26:40.123Z".
bool IsLogTime(std::string_view text);

// Converts "30s", "10m", "2h", "3d" (ago), "2026-10-14", "2026-10-14T16:26" or
// "2026-10-14T16:26:40Z" (UTC) to the form of IsLogTime().
Result<std::string> ReadSince(const std::string& text,
                              int64_t unix_nanoseconds = Nanoseconds(CLOCK_REALTIME));

}  // namespace ringfence
