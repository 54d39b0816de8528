// Text for people and for JSON: quoting, cutting, and finding the word that was meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

// Appends `text` as a JSON string, quotes included. Bytes that are no UTF-8 become U+FFFD, so the
// result is always valid JSON; control characters are escaped.
void AppendJsonString(std::string& out, std::string_view text);
std::string JsonString(std::string_view text);

// Foreign text for a message: JSON-quoted, control, bidirectional and invisible characters escaped,
// cut to about `limit` bytes between code points with "..." where something is missing.
std::string Quote(std::string_view text, size_t limit = 200);

// `text` with every invisible character escaped, without quotes; for whole lines of messages.
std::string Printable(std::string_view text);
// The same for each line of a longer text. A JSON document keeps its meaning by it.
std::string PrintableLines(std::string_view text);

// In single quotes, within which a shell gives a meaning to the quote alone.
std::string ShellQuoted(std::string_view text);

// A JSON document in ASCII, with the same meaning: all other characters stand in strings and are
// escaped there.
std::string AsciiJson(std::string_view json);

// `text`, of at most `limit` bytes: cut between code points, "..." where something is missing.
std::string CutText(std::string text, size_t limit);

// The candidate that `word` was probably meant to be (at most a third of it differs), or "".
std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates);

// Takes what comes before the first `separator`, or all of `rest`, and the separator after it.
std::string_view TakeUntil(std::string_view& rest, char separator);

// The parts between spaces and newlines, none of them empty.
std::vector<std::string> SplitWords(std::string_view text);

// `digits` hexadecimal digits in lower case, as Sha256Hex() writes them.
bool IsLowerHex(std::string_view text, size_t digits);
// Nothing but spaces, tabs and the carriage return of a line end.
bool IsBlankLine(std::string_view line);

// ASCII only: the names that ringfence itself defines.
std::string LowerAscii(std::string_view text);

}  // namespace ringfence
