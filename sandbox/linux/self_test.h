// Tries what must fail, before the command is run. Any other result is an error, and the command is
// not run.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "sandbox/plan.h"

namespace ringfence {

// Tests that writing outside fails. Called by the first process, once the mounts and Landlock are
// in place. The command's process inherits both, but its calls go through the supervisor, which is
// slower.
Status TestView(const SandboxPlan& plan);

// Tests the rest. Called by the command's process, shortly before it executes the command.
Status TestSandbox(const SandboxPlan& plan);

// Tests the kernel's locks on a network of which only the proxy's port can be reached. Called
// before the supervisor answers connect(2).
Status TestProxyPort();

// Tests the supervisor, or in a nested sandbox the outer one, with a name that every plan refuses.
Status TestNames(const SandboxPlan& plan);

// How often TestSandbox() has tried to reach a host, where there is no network.
inline constexpr uint64_t kTriedByTest = 1;

}  // namespace ringfence
