// Finds what a search pattern of an agent's tool (Glob) can reach: the directories that its fixed
// beginning names, for each alternative in braces.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

struct SearchPattern {
  // The reason why the pattern is refused, or nothing.
  std::optional<std::string_view> refused;
  // The fixed beginning of each alternative, as path text: "" (the search directory), "src",
  // "/etc", "~/x". A pattern without a wildcard is its own beginning.
  std::vector<std::string> beginnings;
  // Each alternative begins with a directory, so nothing outside those directories is found. For
  // some programs, a name without a directory matches at every depth, and a pattern that begins
  // with "!" matches all other names.
  bool names_folder = true;
};

// Reads braces, extended globs and backslashes as the most permissive of the usual programs does.
// Refuses a pattern that could spell ".." for one of them.
SearchPattern ReadSearchPattern(std::string_view pattern);

}  // namespace ringfence
