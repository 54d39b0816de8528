// The context of a command that the user types: the project and its policies, as the hook finds
// them when the client is started there.
#pragma once

#include "policy/load/context.h"

namespace ringfence {

// Fills in the empty fields of `typed`: the project is the current directory, the home is that of
// HOME, the program is this one. Paths may be relative to the current directory.
Result<Context> FindTypedContext(Registration typed, const FileView& files);

// The same without reading a policy.
Result<Places> FindTypedPlaces(Registration typed, const FileView& files);

}  // namespace ringfence
