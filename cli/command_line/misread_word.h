// Words that mean something to a shell or to the client, and would be taken for odd file names.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace ringfence {

// The error for "$HOME/x" and "Read(~/x)". No error for other words, or if a file has that name.
std::optional<Error> MisreadWord(const std::string& word);

}  // namespace ringfence
