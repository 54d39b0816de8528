// Names by which git finds what it runs: the parts of a repository without a work tree, and the
// file
// ".git" that leads from a work tree to its repository.
#pragma once

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// Why git forbids that the name is made or changed, or nullptr.
const GuardedName* RefusedByGit(const Supervision& supervision, const Location& location);

// Why a folder may not be moved, in which git finds its way to a repository, or nullptr.
const GuardedName* RefusedMove(const Supervision& supervision, const Location& tree);

// After something was made: the folder is a bare repository by it, which it was not to become.
// Another sandbox in the same project can make another part at the same time.
bool HasBecomeBare(const Supervision& supervision, const Location& location);

}  // namespace ringfence
