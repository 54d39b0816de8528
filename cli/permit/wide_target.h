// Finds targets of `ringfence allow` that are so wide that they are probably mistakes.
#pragma once

#include <string>

#include "cli/common/policies.h"
#include "cli/permit/grant_target.h"

namespace ringfence {

// Describes what an entry opens, such as "every file of the home directory for reading", if that is
// every tool or host, a home, the directory that contains the project or, for writing, a directory
// that the whole machine shares ("/usr"). Otherwise returns "".
std::string WideText(const GrantTarget& grant, const Places& places, const Registration& where);

}  // namespace ringfence
