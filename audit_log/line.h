// The chain of the audit log: each line has the SHA-256 of the text before it, from the last whole
// line on. Plain text in, plain text out; entry.h defines the content of a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringfence {

// "2026-10-14T16:26:40.123Z"
std::string AuditTime(int64_t unix_nanoseconds);

// "20261014T162640.123456789Z", the suffix of a rotated file's name.
std::string AuditFileTime(int64_t unix_nanoseconds);

// Returns the decimal number with at least `width` characters, filled at the left.
std::string Digits(long value, size_t width, char fill = '0');

// Returns the whole line without its newline. `before` is the text from AuditChainStart() on; "" if
// there is none.
enum class AuditLock : uint8_t { kHeld, kNotGot };
std::string ChainedLine(const std::string& text, std::string_view before, AuditLock lock);

// Returns the 64 digits at the end of a whole line; "" for anything else: a torn line of a killed
// writer, or a foreign line.
std::string_view ChainOf(std::string_view line);

// True if the line was written without the lock, possibly at the same time as other lines.
bool IsUnlocked(std::string_view line);

inline constexpr size_t kChainDigits = 64;
// The chain of a line with nothing before it.
inline constexpr std::string_view kNoChain =
    "0000000000000000000000000000000000000000000000000000000000000000";

// Returns the offset in `tail`, the end of a log without its final newline, at which the last whole
// line begins; the chain covers that line and the torn text after it. npos if it begins before
// `tail`.
size_t AuditChainStart(std::string_view tail, bool is_whole_file);

}  // namespace ringfence
