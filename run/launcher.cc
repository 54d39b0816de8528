#include "run/launcher.h"

#include <utility>

#include "base/syscall.h"
#include "policy/files/real_files.h"
#include "run/remedy.h"
#include "sandbox/run_bare.h"

namespace ringfence {
namespace {

class Launcher {
 public:
  Launcher(RunRequest& request, LaunchObserver& observer, int hangup)
      : request_(request),
        observer_(observer),
        watch_{observer, observer.network(), hangup, Inherited::Replace(), observer.pause()},
        facts_(ProbeHost(request.policy.sandbox)) {}

  Result<Launched> Run(const CachedFiles& files) {
    for (;;) {
      const Result<bool> is_other = observer_.Planning(request_, facts_);
      if (!is_other) return is_other.error();
      const RealFiles disk;
      const CachedFiles now(disk);
      Result<SandboxPlan> plan = request_.Plan(*is_other ? now : files, facts_);
      if (!plan) return plan.error();
      Result<Ended> ended = Start(*plan);
      if (!ended) {
        Error error = ended.error();
        error.kind = Error::Kind::kSystem;
        return error;
      }
      if (!ended->failure || !GoesOnWithout(*plan, *ended->failure)) {
        return Launched{std::move(*plan), std::move(*ended)};
      }
    }
  }

 private:
  Result<Ended> Start(const SandboxPlan& plan) {
    const bool wants_landlock = plan.is_confined() && plan.system == HostSystem::kLinux;
    if (wants_landlock && plan.landlock_abi == 0 && facts_.has(Feature::kLandlock)) {
      const Error error =
          SystemError("landlock_create_ruleset", facts_.landlock_error, Error::About::kLandlock);
      return Ended{.failure = SetupFailure{"file rules", error, Feature::kLandlock}};
    }
    if (Status s = observer_.Starting(plan); !s) return s.error();
    if (plan.is_confined()) return RunConfined(plan, watch_);
    observer_.Started(plan);
    return RunBare(plan, watch_.inherited);
  }

  // With "missing": "warn", gives up one layer at a time. Returns true if another plan can be
  // tried.
  bool GoesOnWithout(const SandboxPlan& plan, const SetupFailure& failure) {
    if (failure.lacks == Feature::kOverlay) return CopiesInstead(plan, failure);
    if (plan.missing != SandboxMissing::kWarn || !IsLacking(failure)) return false;
    const Feature lacks = *failure.lacks;
    if (!facts_.has(lacks) || !plan.can_do_without(lacks)) return false;
    facts_.lacks.push_back(lacks);
    if (lacks == Feature::kNamespaces) request_.command.layers = SandboxLayers::kLandlock;
    if (lacks == Feature::kLandlock) facts_.landlock_abi = 0;
    observer_.GoesOnWithout(failure);
    return true;
  }

  // A copy of the project confines the command as an overlay does.
  bool CopiesInstead(const SandboxPlan& plan, const SetupFailure& failure) {
    if (!facts_.has(Feature::kOverlay) || !plan.can_do_without(Feature::kOverlay)) return false;
    facts_.lacks.push_back(Feature::kOverlay);
    facts_.no_overlay = failure.error.text();
    return true;
  }

  RunRequest& request_;
  LaunchObserver& observer_;
  const RunWatch watch_;
  HostFacts facts_;
};

}  // namespace

Result<Launched> Launch(RunRequest& request, const CachedFiles& files, int hangup,
                        LaunchObserver& observer) {
  return Launcher(request, observer, hangup).Run(files);
}

}  // namespace ringfence
