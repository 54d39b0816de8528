// Confines the worker for good: no file can be opened, no program started, no socket made. What it
// holds open stays usable.
#pragma once

#include "base/result.h"

namespace ringfence {

// A sanitizer needs a pipe(2) of its own, and goes on if it cannot open a file.
enum class Sanitized : bool { kNo, kYes };

Status ConfineWorker(Sanitized sanitized);

}  // namespace ringfence
