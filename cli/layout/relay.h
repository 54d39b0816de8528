// The relay: a directory through which agents of several profiles hand each other files. Whether a
// profile may use it is the hook's decision about a file in it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "policy/load/context.h"

namespace ringfence {

// Where the directory `text` really is; an error where it is none.
Result<std::string> FindRelay(const std::string& text);

// What keeps agents of `profile` from reading and writing in `relay`, each with the line of a
// policy that would change it. Nothing: they may.
Result<std::vector<Error>> RelayProblems(const std::string& relay, const std::string& profile,
                                         const Context& context);

}  // namespace ringfence
