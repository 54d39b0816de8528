// What must fail is tried before the command is run. Any surprise is an error, and it is not run.
#pragma once

#include "base/result.h"
#include "sandbox/plan.h"

namespace ringfence {

// Writing outside: by the first process, when it stands behind the mounts and Landlock. The
// command's process is made from it and has both too, and a supervisor besides, who answers slower.
Status TestView(const SandboxPlan& plan);

// The rest: by the command's own process, as the last thing it does.
Status TestSandbox(const SandboxPlan& plan);

// A name that every plan refuses: the supervisor's answer, or the outer one's.
Status TestNames(const SandboxPlan& plan);

}  // namespace ringfence
