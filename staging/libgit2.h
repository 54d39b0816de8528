// Starts libgit2, and turns its failures into errors.
#pragma once

#include "base/result.h"

namespace ringfence {

// Initializes the library at the first call, since that takes milliseconds.
Status StartLibgit2();

// The error of a libgit2 call that has just failed.
Error Libgit2Error(const char* call);

}  // namespace ringfence
