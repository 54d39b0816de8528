// The audit log: one JSON line a decision, whole under any number of writers and after a crash,
// each with the SHA-256 of the line before it. Never file content, never a command.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/decision.h"
#include "policy/event.h"
#include "policy/path.h"

namespace ringfence {

struct AuditEntry {
  const Event* event = nullptr;
  std::string_view verdict;            // "permit", "ask", "deny", "error"
  const Decision* decision = nullptr;  // may be null
  std::string_view why;                // for "error"
  std::string_view profile;
  int64_t unix_nanoseconds = 0;
  int64_t microseconds = 0;  // how long the decision took
};

// The line without its chain and newline: {"time":...,"us":12
std::string AuditText(const AuditEntry& entry);

// "2026-10-14T16:26:40.123Z"
std::string AuditTime(int64_t unix_nanoseconds);

// Appends `text` to `file`, making it and its folders (mode 0600, 0700) where they are missing. At
// `rotate` bytes the file is first renamed to FILE.<UTC time>, so no line is ever lost; the chain
// goes on in the new file. Waits at most half a second for other writers. Inside a sandbox the
// launcher outside does all that with its own file, and waits as long.
Status AppendToAudit(const Path& file, const std::string& text, uint64_t rotate,
                     int64_t unix_nanoseconds);

}  // namespace ringfence
