// The environment of ringfence-stage. It is linked dynamically, so that variables could make it
// load a library or read a configuration from anywhere. What it starts for the user gets all of
// them: the policy's "stage.verify", an editor, a pager.
#pragma once

#include <string>
#include <vector>

namespace ringfence {

// Variables ("NAME=value") for ringfence-stage: those that it can use, and the others under names
// that no program knows. A single variable of more than about 128 KB is left out.
std::vector<std::string> EnvironmentForStage(const std::vector<std::string>& users);

// The reverse. In another program, whose variables have their own names, it changes none.
std::vector<std::string> EnvironmentOfUser(const std::vector<std::string>& own);

}  // namespace ringfence
