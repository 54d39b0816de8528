// Finds the line of a call that was decided twice: by the registration in the client's settings and
// by the one in the plugin. Plain text in, plain text out.
#pragma once

#include <cstdint>
#include <string_view>

namespace ringfence {

// AuditEntry::via of a hook that the plugin registered.
inline constexpr std::string_view kViaPlugin = "plugin";

// True if `text` (AuditText, or lines of a log) contains an entry with that member.
bool HasPluginEntry(std::string_view text);

// True if one of `lines`, the end of a log, is at most ten seconds older than now and equals `text`
// except for its times, while exactly one of the two is the plugin's. So an entry is left out only
// if its equal is in the log, and never without the plugin.
bool HasTwin(std::string_view lines, std::string_view text, int64_t unix_nanoseconds);

}  // namespace ringfence
