// What a search pattern of an agent's tool (Glob) can reach: the folders that its fixed beginning
// names, for each alternative in braces.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

struct SearchPattern {
  // Why it is refused, or nothing.
  std::optional<std::string_view> refused;
  // The fixed beginning of each alternative, as path text: "" (the search folder), "src",
  // "/etc", "~/x". A pattern without any wildcard is its own beginning.
  std::vector<std::string> beginnings;
  // Each alternative begins with a folder, so that nothing beside those folders is found. A name
  // alone matches at every depth for some readers, and one that begins with "!" matches all others.
  bool names_folder = true;
};

// Braces, extended globs and backslashes are read as the widest of the usual readers does: what
// could spell ".." to one of them is refused.
SearchPattern ReadSearchPattern(std::string_view pattern);

}  // namespace ringfence
