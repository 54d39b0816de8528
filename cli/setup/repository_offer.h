// `ringfence init` in a part of a repository: asks whether the project is the whole repository.
#pragma once

#include <string>

#include "base/path.h"
#include "base/result.h"
#include "cli/common/ask.h"

namespace ringfence {

// `policy` is the file to change, as shown to the user. `is_for_all`: it is for every project.
UserReply AskForRepository(const Path& repository, const std::string& policy, bool is_for_all);

// Returns the text of a policy with "root": "git" set. `shown` is its name in errors.
Result<std::string> WithRepositoryAsRoot(const std::string& text, const std::string& shown);

}  // namespace ringfence
