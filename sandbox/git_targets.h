// Files in a project that git runs or reads as configuration because a configuration file names
// them: hooks, filters, included files. A process that can write one decides what the next git
// command outside the sandbox runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "policy/files/file_view.h"

namespace ringfence {

struct GitTarget {
  std::string path;  // absolute; may hold ".." and links, need not exist; "" if only in_tree is set
  std::string why;   // `git uses it (core.hookspath in ".git/config")`
  // Path from the top of the work tree, if git runs the file in every work tree; else "".
  std::string in_tree = {};
};

struct GitPlaces {
  Path root;                                      // the project
  std::vector<Path> homes;                        // for "~/" and the user's own configuration
  std::span<const std::string> environment = {};  // the caller's, as "NAME=value"
};

// Returns the targets of the repositories around the project, at its root, up to two directories
// below it and in ".git/modules". Reads the environment and the system's, the user's and the
// repositories' configuration with all included files. Fails if a file that git could read cannot
// be read here, or if there is more configuration than a person would write.
Result<std::vector<GitTarget>> FindGitTargets(const GitPlaces& places, const FileView& files);

}  // namespace ringfence
