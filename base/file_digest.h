// SHA-256 of an open file of any size.
#pragma once

#include <string>

#include "base/result.h"

namespace ringfence {

// Reads from the beginning to the end, in pieces. Returns 64 lower case digits.
Result<std::string> Sha256OfFile(int fd);

}  // namespace ringfence
