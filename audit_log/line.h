// The text of a line of the audit log, and how lines hold together: each has the SHA-256 of what
// stands before it, from the last whole line on. Plain text in, plain text out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/decision.h"
#include "policy/event.h"

namespace ringfence {

struct AuditEntry {
  const Event* event = nullptr;
  std::string_view verdict;            // "permit", "ask", "deny", "error"
  const Decision* decision = nullptr;  // may be null
  std::string_view why;                // for "error"
  std::string_view server;             // the MCP server that the call names besides its tool
  std::string_view profile;
  int64_t unix_nanoseconds = 0;
  int64_t microseconds = 0;  // how long the decision took
};

// The line without its chain and newline: {"time":...,"us":12
std::string AuditText(const AuditEntry& entry);

// "2026-10-14T16:26:40.123Z"
std::string AuditTime(int64_t unix_nanoseconds);

// "20261014T162640.123456789Z", what a file that is put aside is called by.
std::string AuditFileTime(int64_t unix_nanoseconds);

// The whole line, without its newline. `before` is what AuditChainStart() says; "" where nothing
// is.
enum class AuditLock : uint8_t { kHeld, kNotGot };
std::string ChainedLine(const std::string& text, std::string_view before, AuditLock lock);

// The 64 digits at the end of a whole line; "" for anything else: a line that was torn when its
// writer was killed, or that somebody else wrote.
std::string_view ChainOf(std::string_view line);

// Whether it was written without the lock, so that others may have been written at the same time.
bool IsUnlocked(std::string_view line);

inline constexpr size_t kChainDigits = 64;
// Nothing stands before the line.
inline constexpr std::string_view kNoChain =
    "0000000000000000000000000000000000000000000000000000000000000000";

// Where in `tail`, the end of a log without its last newline, the last whole line begins; what has
// been torn since then is covered together with it. npos: before `tail`.
size_t AuditChainStart(std::string_view tail, bool is_whole_file);

}  // namespace ringfence
