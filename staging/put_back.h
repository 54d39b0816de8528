// Files of the project that a failed apply had moved away, and that have their names again. That
// has changed their ctime, so that they seem to be changed since the stage began (BaseVersions).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "files/entry.h"
#include "files/tree_transaction.h"
#include "staging/stage.h"

namespace ringfence {

// Notes the files and links that the steps would have replaced, if they are those from when the
// stage began. Call it once the apply is undone. One that cannot be noted becomes a conflict.
void NotePutBack(const Stage& stage, const std::vector<TreeStep>& steps);

// By path, with their ctime right after that.
using PutBack = std::map<std::string, Entry, std::less<>>;
PutBack ReadPutBack(const StageFolder& folder);

}  // namespace ringfence
