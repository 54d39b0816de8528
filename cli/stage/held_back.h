// Says which changes of a stage the policy does not let be applied.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/stage/planned_files.h"
#include "policy/decide.h"
#include "policy/files/cached_files.h"
#include "policy/files/real_files.h"
#include "policy/load/context.h"
#include "policy/policy.h"
#include "staging/merge_plan.h"
#include "staging/store/record.h"

namespace ringfence {

// The policy of a stage's project, as it is now.
class StagePolicy {
 public:
  // `given` has the home and --policy of the command line.
  static Result<StagePolicy> Find(Registration given, const StageRecord& record);

  const Policy& rules() const { return rules_; }
  const Path& project() const { return project_; }
  const Path& real_project() const { return context_->places.root_real; }  // without links

  // Neither this object nor `files` may end before the result.
  PathDecider DeciderFor(const CachedFiles& files) const;
  // Returns why the change may not be applied; "" if it may.
  std::string WhyHeld(const Change& change, const PathDecider& decider) const;

 private:
  StagePolicy(std::unique_ptr<Context> context, std::unique_ptr<Event> event, Policy rules,
              Path project)
      : context_(std::move(context)),
        event_(std::move(event)),
        rules_(std::move(rules)),
        project_(std::move(project)) {}

  std::unique_ptr<Context> context_;  // `rules_` points into it
  std::unique_ptr<Event> event_;      // a call in the project
  Policy rules_;
  Path project_;
};

// Decides on changes that are going to be applied together: each in the project as all of them
// leave it, without the name that it replaces.
class PlannedDecisions {
 public:
  // `policy` and the changes must outlive this object.
  PlannedDecisions(const StagePolicy& policy, std::vector<const Change*> changes)
      : policy_(policy),
        files_(disk_, {policy.project(), policy.real_project()}, std::move(changes)),
        cached_(files_),
        decider_(policy.DeciderFor(cached_)) {}

  // Returns why the change may not be applied; "" if it may.
  std::string WhyHeld(const Change& change) const;

 private:
  const StagePolicy& policy_;
  const RealFiles disk_;
  const PlannedFiles files_;
  const CachedFiles cached_;
  const PathDecider decider_;
};

// Holds back what the policy does not let be applied together with the rest of the plan, which can
// have become less since it was made.
void HoldBack(const StagePolicy& policy, MergePlan& plan);

}  // namespace ringfence
