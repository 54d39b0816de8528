// Starts a planned command and waits for it. It prints and logs nothing: whoever starts it hears of
// the run as its observer, and decides what to make of its end.
#pragma once

#include "policy/files/cached_files.h"
#include "run/request.h"
#include "sandbox/backend.h"

namespace ringfence {

class LaunchObserver : public RunObserver {
 public:
  // Before anything is set up, for each plan that is tried. With an error nothing is started.
  virtual Status Starting(const SandboxPlan& plan) = 0;
  // The host lacks `failure.lacks`, and the policy accepts that: a plan without it comes next.
  virtual void GoesOnWithout(const SetupFailure& failure) = 0;

 protected:
  ~LaunchObserver() = default;
};

// A command that ended or, where `ended.failure` says why, was not started.
struct Launched {
  SandboxPlan plan;  // the last that was tried
  Ended ended;
};

// `hangup` is RunWatch's. The command of `request` gets the layers that are tried last. Without a
// plan the error says whether the host is to blame (kSystem) or what was asked for; later on it is
// always the host.
Result<Launched> Launch(RunRequest& request, const CachedFiles& files, int hangup,
                        LaunchObserver& observer);

}  // namespace ringfence
