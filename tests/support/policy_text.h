// A complete policy file as one text, so that tests can compare two files and show both.
#pragma once

#include <string>

#include "policy/load/policy_file.h"

namespace ringfence {

// With `places`, each rule is followed by its line.
std::string PolicyText(const PolicyFile& file, bool places);

}  // namespace ringfence
