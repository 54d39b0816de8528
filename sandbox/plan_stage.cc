#include "base/text.h"
#include "sandbox/plan_rules.h"

namespace ringfence {
namespace {

// Returns "" if changes to the project can be kept apart from it.
std::string WhyNoStage(const PlanRequest& request, const SandboxPlan& plan) {
  if (!plan.is_confined()) return "a command that is not confined cannot be staged";
  if (plan.system != HostSystem::kLinux) return "changes cannot be staged on this system";
  if (plan.is_nested) return "this is inside another sandbox of ringfence's";
  if (!plan.has_namespaces()) return "staging needs layers full";
  const Result<std::optional<Path>> mount = request.files.AnyMountBelow(plan.root);
  if (!mount) return mount.error().text();
  return *mount ? Quote((*mount)->text()) + " is a mount point in the project" : "";
}

}  // namespace

Status PlanStage(const PlanRequest& request, SandboxPlan& plan) {
  const Path& stage = request.command.stage;
  if (stage.is_root()) return Unit{};
  if (!request.policy.stage.sandbox && !request.command.is_agent) {
    return Error{
        Error::Kind::kSystem, "stage",
        "the policy says that commands in a stage are not confined, and an unconfined one "
        "could change the project past its stage; nothing was run",
        "remove \"sandbox\": false from \"stage\": {\"commands\": ...}, or run the command "
        "without a stage"};
  }
  const std::string why = WhyNoStage(request, plan);
  if (!why.empty()) return Error{Error::Kind::kSystem, "stage", why + "; nothing was run", ""};
  plan.stage = stage;
  return Unit{};
}

}  // namespace ringfence
