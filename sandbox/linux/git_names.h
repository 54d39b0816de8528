// Names by which git finds what it runs: the parts of a repository without a work tree, and the
// file
// ".git" that leads from a work tree to its repository.
#pragma once

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// Why git forbids that the name is made or changed, or nullptr.
const GuardedName* RefusedByGit(const Supervision& supervision, const Location& location);

}  // namespace ringfence
