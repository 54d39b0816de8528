// What to do where a sandbox cannot be set up. The failed call has said that something is missing;
// the files that are read here only say which advice fits.
#pragma once

#include "base/result.h"
#include "sandbox/backend.h"

namespace ringfence {

// The host lacks what the failure names, and will the next time: no passing shortage.
bool IsLacking(const SetupFailure& failure);

// One line with the missing layer, and a hint.
Error ExplainSetupFailure(const SetupFailure& failure);

}  // namespace ringfence
