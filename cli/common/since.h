// Parses the times of --since.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ringfence {

// True for a valid time in the form of the audit log: "2026-10-14T16:26:40.123Z".
bool IsLogTime(std::string_view text);

// Converts "30s", "10m", "2h", "3d" (ago), "2026-10-14", "2026-10-14T16:26" or
// "2026-10-14T16:26:40Z" (UTC) to the form of IsLogTime().
Result<std::string> ReadSince(const std::string& text, int64_t unix_nanoseconds);

// The same, relative to the current time.
Result<std::string> ReadSince(const std::string& text);

}  // namespace ringfence
