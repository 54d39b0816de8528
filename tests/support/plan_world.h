// PlanWorld: a World whose policy is made into a plan for one command on one host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/plan.h"
#include "tests/support/world.h"

namespace ringfence {

struct PlanWorld {
  // "make test" in /home/dev/project, on a Linux that has everything.
  PlanWorld();

  World world;
  SandboxCommand command;
  HostFacts facts;

  Result<SandboxPlan> Try() const;
  SandboxPlan Plan() const;  // there is one
  Error WhyNot() const;      // there is none

  bool Refuses(std::string_view path) const { return Plan().names.Refuses(path) != nullptr; }
};

// The places, ", " between them: "/p", "/p/file (file)", "make /p/new".
std::string PlacesText(const std::vector<PlannedPlace>& places);
// "/p", "/p/file (file)", "/p but /p/x".
std::string PlacesText(const std::vector<HiddenPlace>& places);
std::string PathsText(const std::vector<Path>& paths);

// One of the notes on what is not enforced holds `text`.
bool Notes(const SandboxPlan& plan, std::string_view text);

}  // namespace ringfence
