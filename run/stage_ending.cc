#include "run/stage_ending.h"

#include <utility>

#include "policy/agent.h"
#include "run/trusted_command.h"
#include "sandbox/environment.h"

namespace ringfence {
namespace {

bool IsUsers(const RunRequest& request) {
  const char* const started = request.context.places.agent->variables.started;
  return !request.command.is_agent &&
         EnvironmentValue(request.command.environment, started).empty();
}

}  // namespace

StageEnding PlanEnding(const RunOptions& options, const RunRequest& request,
                       const CachedFiles& files, bool can_ask) {
  StageEnding ending;
  if (!IsUsers(request) || options.keep || options.discard) return ending;
  ending.works_alone = options.apply || (can_ask && !options.json);
  if (options.apply) return ending;
  const StageRules& rules = request.policy.stage;
  if (rules.auto_apply) {
    ending.automatic = "all";
  } else if (rules.auto_apply_trusted) {
    CommandTrust trust =
        FindTrust(request.command, {request.policy, request.context.places, files});
    if (trust.is_trusted) ending.automatic = "trusted";
    ending.why_not = std::move(trust.why_not);
  }
  ending.works_alone = ending.works_alone || !ending.automatic.empty();
  return ending;
}

}  // namespace ringfence
