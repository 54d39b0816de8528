// Where this process runs: its current directory and its environment.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

// "" where it was removed or cannot be told.
std::string CurrentDirectory();
// The error where that matters.
Error NoCurrentDirectory(std::string hint);
// `path` from the current directory, without "." and "..".
std::string Absolute(const std::string& path);

// The value of an environment variable; "" where it is not set.
std::string Variable(const char* name);
// All of them, as "NAME=value".
std::vector<std::string> OwnEnvironment();

}  // namespace ringfence
