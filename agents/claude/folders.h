// Locations of the files that the client shows the model: memory, plans, tool results, skills, task
// output. Names and rules were measured on 2.1.330 and 2.1.331 (docs/policy-format.md).
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "base/path.h"
#include "policy/rules/sets.h"

namespace ringfence {

// Returns the name that the client derives from a directory's path: "-home-dev-project" for
// "/home/dev/project". A name of more than 200 characters is cut there, and a hash of the path
// follows.
std::string ClaudeProjectSlug(const Path& folder);

// Returns the names below ~/.claude/projects that belong to this session, for SetEntry::except.
std::string OwnProjectFolders(const SetContext& context);

// The entries of @claude-scratch.
std::vector<SetEntry> ClaudeScratch(Access access, const SetContext& context,
                                    std::deque<std::string>& strings);

}  // namespace ringfence
