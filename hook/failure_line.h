// Paths and hosts in one line of a program's words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

// Absolute ones, and below the home.
std::vector<std::string> AbsolutePathsIn(std::string_view line);

// Relative ones, where programs name what was refused: in quotes, or before the words at `end`
// ("tar: sub/x: Cannot open: ").
std::vector<std::string> RelativePathsIn(std::string_view line, size_t end);

// What begins `text`, behind quotes: HOST, or HOST:PORT; "" where that is none.
std::string HostAtFront(std::string_view text);

// Of the first URL in the line.
std::string HostOfUrlIn(std::string_view line);

}  // namespace ringfence
