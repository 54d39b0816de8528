// A command to confine, and its policy: everything that a plan is made from.
#pragma once

#include "base/result.h"
#include "policy/files/cached_files.h"
#include "policy/load/context.h"
#include "policy/policy.h"
#include "run/options.h"
#include "sandbox/plan.h"

namespace ringfence {

struct RunRequest {
  Context context;
  Policy policy;  // points into `context`
  SandboxCommand command;
  Event caller = {};  // of a wrapped command; else it has only a session, or nothing

  Result<SandboxPlan> Plan(const CachedFiles& files, const HostFacts& facts) const {
    return MakePlan({policy, context.places, files, command, facts});
  }
};

// Reads the policies that `options` select, and changes to the directory of --chdir. With
// `macos_names`, file names are compared as macOS does.
Result<RunRequest> ReadRequest(const RunOptions& options, const CachedFiles& files,
                               bool macos_names);

}  // namespace ringfence
