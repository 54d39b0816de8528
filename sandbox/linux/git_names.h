// Names by which git finds what it runs: the parts of a repository without a work tree, and the
// file ".git" that leads from a work tree to its repository.
#pragma once

#include <string>

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// Why git forbids that the name is made or changed, or nullptr.
const GuardedName* RefusedByGit(const Supervision& supervision, const Location& location);

// Why a folder may not be moved, in which git finds its way to a repository, or nullptr.
const GuardedName* RefusedMove(const Supervision& supervision, const Location& tree);

// Why a symbolic link may not be made there, or nullptr: version control writes its own files
// (COMMIT_EDITMSG, FETCH_HEAD, logs) through links, so one in its directory would let the user's
// next command write elsewhere. Locks of Mercurial are links, and "git init" makes one to see
// whether it can.
const GuardedName* RefusedLink(const Supervision& supervision, const Location& link,
                               std::string_view target);

// The same for a directory or link that is moved `from` its place `to` another: before the move,
// while it lies `at` the one, and after it, at the other.
const GuardedName* RefusedLinksOf(const Supervision& supervision, const Location& from,
                                  const Location& to, const Location& at);

// A repository by another name than ".git" (".bare", "project.git"): the path with ".git" in place
// of that name, by which the rules for git's own files know it. "" for every other path.
std::string AsGitsOwn(const Location& location);

// After something was made: the folder is a bare repository by it, which it was not to become.
// Another sandbox in the same project can make another part at the same time.
bool HasBecomeBare(const Supervision& supervision, const Location& location);

}  // namespace ringfence
