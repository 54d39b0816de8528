// What of the client's own state the agent itself may write, which its commands may not: folders
// and files of ~/.claude that it keeps for itself, the transcripts of this project, and
// ~/.claude.json.
#pragma once

#include <vector>

#include "sandbox/plan.h"

namespace ringfence {

struct AgentState {
  std::vector<PlannedPlace> places;  // none lies inside another
  std::vector<SavedFile> saved;
  std::vector<Path> logins;  // the agent's own, though @secrets names them
};

// `saves`: whether the back end can replace a file in a folder that is read-only.
AgentState FindAgentState(const Places& places, const CachedFiles& files, bool saves);

}  // namespace ringfence
