// Advice for a sandbox that cannot be set up. The failed call has shown that something is missing;
// the files that are read here only determine which advice fits.
#pragma once

#include <string>

#include "base/result.h"
#include "sandbox/backend.h"

namespace ringfence {

// True if the host permanently lacks what the failure names; false for a temporary shortage.
bool IsLacking(const SetupFailure& failure);

// Returns an error that names the missing layer in one line, with a hint.
Error ExplainSetupFailure(const SetupFailure& failure);

// How to see why a proxy that has ended did so.
std::string ProxyHint();

}  // namespace ringfence
