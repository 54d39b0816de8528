// Whether what `ringfence allow` was asked for is so much that it is probably a mistake.
#pragma once

#include <string>

#include "cli/common/policies.h"
#include "cli/permit/grant_target.h"

namespace ringfence {

// "every file of the home directory for reading": what an entry opens, if that is every tool or
// host, a home, the folder that the project lies in, or for writing a folder that all of the
// machine shares ("/usr"); else "".
std::string WideText(const GrantTarget& grant, const Places& places, const Registration& where);

}  // namespace ringfence
