// Finds paths and hosts in one line of a program's output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringfence {

// Absolute paths, and paths below ~.
std::vector<std::string> AbsolutePathsIn(std::string_view line);

// Relative paths in the places where programs name what was refused: in quotes, or before the words
// at `end` ("tar: sub/x: Cannot open: ").
std::vector<std::string> RelativePathsIn(std::string_view line, size_t end);

// Returns the HOST or HOST:PORT that begins `text`, after any quotes; "" if there is none.
std::string HostAtFront(std::string_view text);

// Returns the host of the first URL in the line.
std::string HostOfUrlIn(std::string_view line);

}  // namespace ringfence
