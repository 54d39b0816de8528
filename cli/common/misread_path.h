// Words that look like a path to a program, but not to the user who typed them.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace ringfence {

// Returns an error that says how to write it for a range of addresses ("10.0.0.0/8"), a host with a
// path ("good.example/x") and a place for ssh ("git@good.example:x/y.git"), but not if there is a
// file of that name, or the directory that it begins with, in `folder`; "" is the current
// directory.
std::optional<Error> MisreadPath(const std::string& word, const std::string& folder);

}  // namespace ringfence
