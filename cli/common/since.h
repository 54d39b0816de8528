// The times of --since, of every command that has it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ringfence {

// "2026-10-14T16:26:40.123Z", as the audit log has it; a day that there is.
bool IsLogTime(std::string_view text);

// "30s", "10m", "2h", "3d" ago, "2026-10-14", "2026-10-14T16:26", "2026-10-14T16:26:40Z" (UTC): in
// the form of IsLogTime().
Result<std::string> ReadSince(const std::string& text, int64_t unix_nanoseconds);

// The same, counted from now.
Result<std::string> ReadSince(const std::string& text);

}  // namespace ringfence
