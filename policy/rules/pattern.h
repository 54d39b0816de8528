// git's patterns in pathname mode (gitignore(5), wildmatch): "*", "?" and "[...]" stay inside one
// component, "**" as a whole component crosses any number of them. Bytes, not characters, as in
// git.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ringfence {

// True when `text` holds a character that means something in a pattern.
bool HasPattern(std::string_view text);

// Refuses what can never match: a bracket without end, an unknown class, a backslash at the end.
Status CheckPattern(std::string_view pattern);

struct MatchOptions {
  // `text` is folded (FoldName) and letters match without regard to case.
  bool fold = false;
  // A pattern that matches a folder also matches everything below it.
  bool covers = false;
};

// Time at most |pattern| x |text|: a hostile pattern cannot make it slow.
bool MatchPattern(std::string_view pattern, std::string_view text, MatchOptions options);

// One "*" glob over a whole name without components: tools, MCP servers.
bool MatchName(std::string_view pattern, std::string_view name);

// A file's name as a policy spells it: characters that patterns use are escaped.
std::string EscapePattern(std::string_view name);

}  // namespace ringfence
