// Files in a project that git runs or reads as configuration because a configuration file says so:
// hooks, filters, included files. Whoever can write one decides what the next git command outside
// runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "policy/files/file_view.h"

namespace ringfence {

struct GitTarget {
  std::string path;  // absolute; may hold ".." and links, and need not exist; "" for in_tree alone
  std::string why;   // `git uses it (core.hookspath in ".git/config")`
  // From the top of the work tree, if git runs it in whichever work tree a command is; else "".
  std::string in_tree = {};
};

struct GitPlaces {
  Path root;                                      // of the project
  std::vector<Path> homes;                        // for "~/" and the user's own configuration
  std::span<const std::string> environment = {};  // of the caller, as "NAME=value"
};

// Of the repositories around the project, at its root, up to two directories below and in
// ".git/modules", by the environment and the system's, the user's and their own configuration with
// all that it includes. Fails where a file that git could read cannot be read here, and where there
// is more of it than anybody writes.
Result<std::vector<GitTarget>> FindGitTargets(const GitPlaces& places, const FileView& files);

}  // namespace ringfence
