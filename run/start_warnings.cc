#include "run/start_warnings.h"

#include <sys/stat.h>

#include <string>

#include "agents/claude/settings/own_sandbox.h"
#include "base/contains.h"
#include "policy/agent.h"

namespace ringfence {
namespace {

// Where the launcher itself could not switch the agent's own sandbox off.
void WarnOwnSandbox(const RunRequest& request, const SandboxPlan& plan, const RunReport& report) {
  const Agent& agent = *request.policy.agent;
  const OwnSandbox sandbox = FindOwnSandbox(request.context.places);
  const bool is_administrators = sandbox == OwnSandbox::kOnByAdministrator;
  const bool is_off = Contains(plan.argv, agent.settings.no_sandbox);
  if (sandbox == OwnSandbox::kOff || (is_off && !is_administrators)) return;
  report.Warn(std::string(agent.name) +
              "'s own sandbox is on, and cannot run inside this one: its commands will fail" +
              (is_administrators ? ". The administrator's settings switch it on"
                                 : ". Start it with: " + std::string(agent.settings.option) + " '" +
                                       std::string(agent.settings.no_sandbox) + "'"));
}

// In containers the project often belongs to another user.
void WarnRoot(const RunRequest& request, const SandboxPlan& plan, const RunReport& report) {
  const auto is_anothers = [](const std::string& path) {
    struct stat facts {};
    return ::stat(path.c_str(), &facts) == 0 && facts.st_uid != 0;
  };
  if (is_anothers(plan.root.text())) {
    report.Warn(
        "the project belongs to another user: root has no capabilities in the sandbox, and writes"
        " there only what that user made world-writable");
  }
  const std::vector<Path>& homes = request.context.places.homes_real;
  if (!homes.empty() && is_anothers(homes.front().text())) {
    report.Warn(
        "HOME belongs to another user: files that ringfence writes there will belong to root "
        "(use sudo -H)");
  }
}

}  // namespace

void WarnOfStart(const RunRequest& request, const SandboxPlan& plan, const RunReport& report) {
  for (const std::string& note : plan.narrower) report.Warn(note);
  for (const std::string& note : plan.unmet) report.Warn(note);
  if (plan.is_confined() && plan.user == 0) WarnRoot(request, plan, report);
  if (plan.is_confined() && request.command.is_agent) WarnOwnSandbox(request, plan, report);
}

}  // namespace ringfence
