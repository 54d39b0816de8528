// The relay: a directory through which agents of several profiles exchange files. A profile may use
// it if the hook permits reading and writing a file in it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "policy/load/context.h"

namespace ringfence {

// Returns the real path of the directory `text`; an error if it is missing or unsuitable.
Result<std::string> FindRelay(const std::string& text);

// Returns what keeps agents of `profile` from reading and writing in `relay`, each with the change
// to a policy that would permit it. Empty if they may.
Result<std::vector<Error>> RelayProblems(const std::string& relay, const std::string& profile,
                                         const Context& context);

}  // namespace ringfence
