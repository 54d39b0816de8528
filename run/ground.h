// Where a command that a person types stands: the project and its policies, as the hook would find
// them when the client is started there.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "hook/ground.h"

namespace ringfence {

struct GroundQuestion {
  std::string home;  // "": HOME
  std::string root;  // "": `project`
  std::string policy;
  std::string profile;
  std::string project;  // absolute, as the client says it; "": the current directory
};
Result<Ground> FindGround(const GroundQuestion& question, const FileView& files);

// Fails if there is no file at the path that --policy named.
Status CheckNamedPolicy(const std::string& path);

// "": it has none, or cannot be told.
std::string CurrentDirectory();
// The error where that matters.
Error NoCurrentDirectory(std::string hint);
// `path` from the current directory.
std::string Absolute(const std::string& path);

// "NAME=value".
std::vector<std::string> OwnEnvironment();

}  // namespace ringfence
