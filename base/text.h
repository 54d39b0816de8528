// Text for people and for JSON: quoting, truncation, and suggestions for misspelled words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

// Appends `text` as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD, so the
// result is always valid JSON; control characters are escaped.
void AppendJsonString(std::string& out, std::string_view text);
std::string JsonString(std::string_view text);

// Quotes foreign text for a message: as in JSON, with control, bidirectional, invisible and blank
// characters other than a space escaped, cut to about `limit` bytes between code points, with "..."
// to mark the cut.
std::string Quote(std::string_view text, size_t limit = 200);

// Returns `text` with every invisible character escaped, without quotes; for whole lines of
// messages.
std::string Printable(std::string_view text);
// The same, with each character escaped that looks blank, except a space: for names. Text in
// languages that have spaces of their own stays readable without this.
std::string PrintableName(std::string_view name);
// Same as Printable() for each line of a longer text. Does not change the meaning of a JSON
// document.
std::string PrintableLines(std::string_view text);

// Puts `text` in single quotes, within which only the quote itself is special to a shell.
std::string ShellQuoted(std::string_view text);

// Converts a JSON document to ASCII without changing its meaning: all other characters are in
// strings and are escaped.
std::string AsciiJson(std::string_view json);

// Cuts `text` to at most `limit` bytes, between code points, with "..." to mark the cut.
std::string CutText(std::string text, size_t limit);

// Returns the candidate that `word` was probably meant to be (at most a third of it differs), or
// "".
std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates);
// Returns the end of a message: "; did you mean "X"?", or "" if `nearest` is "".
std::string DidYouMean(std::string_view nearest);

// Removes the text before the first `separator`, or all of `rest`, and the separator; returns the
// text.
std::string_view TakeUntil(std::string_view& rest, char separator);

// Splits `text` at spaces and newlines; omits empty parts.
std::vector<std::string> SplitWords(std::string_view text);

// Appends the last `digits` hexadecimal digits of `value`, in lower case.
void AppendHex(std::string& out, uint32_t value, int digits);
// Replaces each byte that is neither alphanumeric nor in `plain` by "%" and two digits (RFC 3986).
std::string PercentEncoded(std::string_view text, std::string_view plain);
// True if `text` is `digits` lower case hexadecimal digits, as Sha256Hex() writes them.
bool IsLowerHex(std::string_view text, size_t digits);
// True if the line contains only spaces, tabs and carriage returns.
bool IsBlankLine(std::string_view line);

// Converts only ASCII letters; for the names that ringfence itself defines.
std::string LowerAscii(std::string_view text);

}  // namespace ringfence
