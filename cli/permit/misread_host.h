// Words for `ringfence allow` and `revoke` that name a host wrongly or not clearly.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace ringfence {

// Returns an error for what can only be meant as a host, but is none: "host.example:99999", and a
// name with letters beyond ASCII. An existing file is none of them.
std::optional<Error> MisspeltHost(const std::string& word);

// Returns an error for a host's name that is also a file here. A refusal names the host, and a
// program in the sandbox could have made a link of that name, which leads to other files.
std::optional<Error> HostThatExistsHere(const std::string& word);

}  // namespace ringfence
