// Words that mean something to a shell or to the client, and would be taken for odd file names.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace ringfence {

// The error about "$HOME/x" and "Read(~/x)"; nothing for other words, and for files of such a name.
std::optional<Error> MisreadWord(const std::string& word);

}  // namespace ringfence
