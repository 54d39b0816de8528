// The question of `ringfence init` in a part of a repository: whether the project is all of it.
#pragma once

#include <string>

#include "base/path.h"
#include "base/result.h"
#include "cli/common/ask.h"

namespace ringfence {

// `policy` is the file that would say so, for people; `is_for_all`: it counts for every project.
UserReply AskForRepository(const Path& repository, const std::string& policy, bool is_for_all);

// The text of a policy with "root": "git" in it. `shown` names it in errors.
Result<std::string> WithRepositoryAsRoot(const std::string& text, const std::string& shown);

}  // namespace ringfence
