// How the lines of the audit log hold together: each has the SHA-256 of what is before it, from the
// last whole line on. Plain text in, plain text out; entry.h has what a line says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

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
