// Names through which git finds programs to run: the parts of a bare repository, and the ".git"
// file that leads from a work tree to its repository.
#pragma once

#include <string>

#include "sandbox/linux/location.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

// Returns the rule that forbids creating or changing the name because of git, or nullptr.
const GuardedName* RefusedByGit(const Supervision& supervision, const Location& location);

// Returns the rule that forbids moving a directory through which git finds a repository, or
// nullptr.
const GuardedName* RefusedMove(const Supervision& supervision, const Location& tree);

// Returns the rule that forbids creating a symbolic link there, or nullptr. Version control writes
// its own files (COMMIT_EDITMSG, FETCH_HEAD, logs) through links, so a link in its directory would
// make the user's next command write elsewhere. Mercurial's locks are links, and "git init" creates
// one as a test.
const GuardedName* RefusedLink(const Supervision& supervision, const Location& link,
                               std::string_view target);

// The same for a directory or link that is moved `from` one place `to` another. `at` is its current
// place: the first before the move, the second after it.
const GuardedName* RefusedLinksOf(const Supervision& supervision, const Location& from,
                                  const Location& to, const Location& at);

// For a path in a repository that is not named ".git" (".bare", "project.git"), returns the path
// with ".git" in place of that name, so that the rules for git's own files match. "" for any other
// path.
std::string AsGitsOwn(const Location& location);

// Called after something was created: true if that made the directory a bare repository, which is
// refused. Another sandbox in the same project can create another part at the same time.
bool HasBecomeBare(const Supervision& supervision, const Location& location);

}  // namespace ringfence
