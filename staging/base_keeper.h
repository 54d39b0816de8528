// Keeps the content of each file when a running stage first changes it, and notes what git has of
// the others, so that what the user changes in the meantime can be merged (BaseVersions).
#pragma once

#include "base/result.h"
#include "staging/base_versions.h"
#include "staging/stage.h"

namespace ringfence {

// Watches the stage (inotify(7)) until the other end of the pipe `stop` is closed. Only directories
// that the project has as well are watched. Where the system permits no more watches, what is
// changed later is not kept.
Status KeepBasesWhileRunning(const Stage& stage, const BaseVersions& base, int stop);

}  // namespace ringfence
