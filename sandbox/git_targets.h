// Files in a project that git runs or reads as configuration because a configuration file says so:
// hooks, filters, included files. Whoever can write one decides what the next git command outside
// runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/file_view.h"
#include "policy/path.h"

namespace ringfence {

// A variable of a configuration file (git-config(1), "CONFIGURATION FILE").
struct GitVariable {
  std::string section, subsection, key;  // section and key in lower case
  std::string value;                     // without quotes and comments

  std::string name() const;  // "filter.lfs.clean"
};

// Reads as git does, and reads on where git would stop: a mistake must not hide what follows.
std::vector<GitVariable> ReadGitVariables(std::string_view text);

struct GitTarget {
  std::string path;  // absolute; may hold ".." and links, and need not exist
  std::string why;   // `git uses it (core.hooksPath in ".git/config")`
};

struct GitPlaces {
  Path root;                // of the project
  std::vector<Path> homes;  // for "~/" and the user's own configuration
};

// Of the repositories around the project, at its root, up to two directories below and in
// ".git/modules", by the system's, the user's and their own configuration with all that it
// includes.
std::vector<GitTarget> FindGitTargets(const GitPlaces& places, const FileView& files);

}  // namespace ringfence
