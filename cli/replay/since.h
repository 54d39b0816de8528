// The times of --since.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace ringfence {

// What the times of transcripts (2026-11-22T03:01:22.721Z) are compared with as text: from a day, a
// day and a time in UTC, or how long ago (30m, 12h, 7d) before `now`, in seconds since 1970.
Result<std::string> SinceText(const std::string& text, int64_t now);

}  // namespace ringfence
