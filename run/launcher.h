// Starts a planned command and waits for it. It prints and logs nothing: the caller observes the
// run and decides how to report its end.
#pragma once

#include "policy/files/cached_files.h"
#include "run/request.h"
#include "sandbox/backend.h"

namespace ringfence {

class LaunchObserver : public RunObserver {
 public:
  // Called before each plan is made, for this host. Returns true if it has changed the request or
  // the disk.
  virtual Result<bool> Planning(RunRequest& request, const HostFacts& facts) = 0;
  // Called for each plan that is tried, before anything is set up. On an error nothing is started.
  virtual Status Starting(const SandboxPlan& plan) = 0;
  // Called if the host lacks `failure.lacks` and the policy accepts that: a plan without it comes
  // next.
  virtual void GoesOnWithout(const SetupFailure& failure) = 0;
  virtual NetworkAccess& network() = 0;
  virtual RunPause* pause() { return nullptr; }  // of a run that can pause

 protected:
  ~LaunchObserver() = default;
};

// A command that has ended or, for the reason in `ended.failure`, was not started.
struct Launched {
  SandboxPlan plan;  // the plan that was tried last
  Ended ended;
};

// `hangup` is passed to RunWatch. Sets the layers of `request.command` to those that were tried
// last. If there is no plan, the error's kind says whether the host is at fault (kSystem) or the
// request; all later errors are kSystem.
Result<Launched> Launch(RunRequest& request, const CachedFiles& files, int hangup,
                        LaunchObserver& observer);

}  // namespace ringfence
