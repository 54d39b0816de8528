// git's patterns in pathname mode (gitignore(5), wildmatch): "*", "?" and "[...]" match inside one
// component, and "**" as a whole component matches any number of them. Patterns match bytes, not
// characters, as in git.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ringfence {

// True if `text` contains a character with a special meaning in a pattern.
bool HasPattern(std::string_view text);

// Refuses a pattern that can never match: a bracket without an end, an unknown class, a backslash
// at the end.
Status CheckPattern(std::string_view pattern);

struct MatchOptions {
  // `text` is folded (FoldName), and letters match in any case.
  bool fold = false;
  // A pattern that matches a directory also matches everything below it.
  bool covers = false;
};

// Takes at most |pattern| x |text| steps, so a hostile pattern cannot make it slow.
bool MatchPattern(std::string_view pattern, std::string_view text, MatchOptions options);

// Matches a glob against a whole name without components: tools, MCP servers.
bool MatchName(std::string_view pattern, std::string_view name);

// Returns a file's name as a policy spells it, with the special characters of patterns escaped.
std::string EscapePattern(std::string_view name);

}  // namespace ringfence
