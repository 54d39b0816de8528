// Detects words that mean something to a shell or the client, but would be taken for file names.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace ringfence {

// Returns an error for "$HOME/x" and "Read(~/x)", but not for other words or an existing file.
std::optional<Error> MisreadWord(const std::string& word);

}  // namespace ringfence
