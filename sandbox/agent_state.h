// Client state that the agent itself may write but its commands may not: directories and files of
// ~/.claude that it keeps for itself, the transcripts of this project, and ~/.claude.json.
#pragma once

#include <vector>

#include "sandbox/plan.h"

namespace ringfence {

struct AgentState {
  std::vector<PlannedPlace> places;  // none is inside another
  std::vector<SavedFile> saved;
  std::vector<Path> logins;  // the agent's own, although @secrets names them
};

// `saves`: true if the back end can replace a file in a read-only directory.
AgentState FindAgentState(const Places& places, const CachedFiles& files, bool saves);

}  // namespace ringfence
