// The current directory and the environment of this process.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace ringfence {

// Returns "" if the directory was removed or cannot be determined.
std::string CurrentDirectory();
// The error for callers that need the current directory.
Error NoCurrentDirectory(std::string hint);
// Resolves `path` against the current directory and removes "." and "..". Returns `path` unchanged
// if the current directory is unknown.
std::string Absolute(const std::string& path);

// The value of an environment variable; "" if it is not set.
std::string Variable(const char* name);
// For execve(2): the variables of this process, then a nullptr.
char** EnvironmentPointers();
// All environment variables, as "NAME=value".
std::vector<std::string> OwnEnvironment();

}  // namespace ringfence
