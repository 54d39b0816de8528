// The context of a command that a person types: the project and its policies, as the hook finds
// them when the client is started there.
#pragma once

#include "policy/load/context.h"

namespace ringfence {

// What is left empty in `typed` is completed: the project is the current directory, the home that
// of HOME, the program this one. Paths may be relative to the current directory.
Result<Context> FindTypedContext(Registration typed, const FileView& files);

}  // namespace ringfence
