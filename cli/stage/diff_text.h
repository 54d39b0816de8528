// The changes of a stage as a unified diff that git-apply(1) and patch(1) understand.
#pragma once

#include <string>

#include "base/result.h"
#include "staging/change_list.h"
#include "staging/stage.h"

namespace ringfence {

// The diff of one change. Control characters of the files are kept: see ShowDiff().
Result<std::string> DiffText(const Stage& stage, const Change& change);

// Adds colours to a diff, and escapes what could control a terminal.
std::string ForTerminal(const std::string& diff, bool colour);

}  // namespace ringfence
