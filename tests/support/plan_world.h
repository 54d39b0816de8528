// PlanWorld: a World whose policy becomes a plan for one command on one host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/plan.h"
#include "tests/support/world.h"

namespace ringfence {

struct PlanWorld {
  // "make test" in /home/dev/project, on a Linux with all features.
  PlanWorld();

  World world;
  SandboxCommand command;
  HostFacts facts;

  Result<SandboxPlan> Try() const;
  SandboxPlan Plan() const;  // fails if there is none
  Error WhyNot() const;      // fails if there is a plan

  bool Refuses(std::string_view path) const { return Plan().names.Refuses(path) != nullptr; }
};

// The places, separated by ", ": "/p", "/p/file (file)", "make /p/new".
std::string PlacesText(const std::vector<PlannedPlace>& places);
// "/p", "/p/file (file)", "/p but /p/x".
// Without ringfence's own state, which every plan hides.
std::string PlacesText(const std::vector<HiddenPlace>& places);
bool IsState(const HiddenPlace& place);  // of ringfence itself
std::string PathsText(const std::vector<Path>& paths);

// True if a note on missing enforcement contains `text`.
bool Notes(const SandboxPlan& plan, std::string_view text);

}  // namespace ringfence
