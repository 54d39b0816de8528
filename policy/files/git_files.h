// What makes a directory a git repository (gitrepository-layout(5)), and folders in which hard
// links are ordinary.
#pragma once

#include <string_view>
#include <vector>

#include "policy/files/cached_files.h"
#include "policy/files/resolve.h"

namespace ringfence {

// Writing there makes a repository of git's that was not there, or changes one that has no work
// tree: its configuration and hooks run code for whoever uses git in it.
bool MakesRepository(const Walked& walked, const CachedFiles& files);

// A component of `path` is such a folder: "node_modules".
bool IsInPackageStore(const Path& path, const std::vector<std::string_view>& stores);

}  // namespace ringfence
