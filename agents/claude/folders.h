// Where the client keeps what it shows the model: memory, plans, tool results, skills, task output.
// Names and rules are measured on 2.1.330 and 2.1.331 (docs/policy-format.md).
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "policy/rules/sets.h"

namespace ringfence {

// The name that the client makes of a folder's path: "/home/dev/project" is "-home-dev-project".
// Beyond 200 characters a hash of the path follows the first 200.
std::string ClaudeProjectSlug(const Path& folder);

// What is this session's own below ~/.claude/projects, for SetEntry::except.
std::string OwnProjectFolders(const SetContext& context);

// The entries of @claude-scratch.
std::vector<SetEntry> ClaudeScratch(Access access, const SetContext& context,
                                    std::deque<std::string>& strings);

}  // namespace ringfence
