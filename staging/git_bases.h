// Contents of files when a stage began, from the git repository of the project. They are known for
// files that the user changes before the command does, too.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "staging/stage.h"

namespace ringfence {

// Notes in the stage's directory which files are as git's index has them and have not changed since
// the stage began. Looks at all files that git tracks. Does nothing if the project has no
// repository that the user owns.
Status NoteGitBases(const Stage& stage);

// The content of a noted file when the stage began; nothing if it is not noted, larger than `limit`
// bytes, or if git does not have it any more.
std::optional<std::string> GitBase(const StageFolder& folder, const Path& project,
                                   const std::string& path, size_t limit);

}  // namespace ringfence
