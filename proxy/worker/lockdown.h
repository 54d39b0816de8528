// Confines the worker for good: no file can be opened, no program started, no socket made. What it
// holds open stays usable.
#pragma once

#include "base/result.h"

namespace ringfence {

Status ConfineWorker();

}  // namespace ringfence
