// Files below an open directory, by relative paths of any bytes. No link is followed in any part of
// a path, so nothing outside the directory can be reached.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace ringfence {

// `flags` as for open(2); O_CLOEXEC is added. The error's code is that of the call, or EXDEV if the
// path leaves the directory. Linux allows ".." within it (openat2(2)), macOS nowhere.
Result<UniqueFd> OpenBeneath(const UniqueFd& folder, const std::string& path, int flags);

// True if the path is absolute or has a component "..".
bool LeavesFolder(std::string_view path);

// True if the call failed because the name does not exist, or is of another kind, or a directory of
// its path is: if it was there a moment ago, another program has changed it.
bool IsMissing(const Error& error);

// The parts of "a/b/c": the directory "a/b", "" if there is none, and the name "c".
std::string_view FolderOf(std::string_view path);
std::string_view NameOf(std::string_view path);
// The reverse: "a/b/c"; the name without a directory if that is "".
std::string PathIn(std::string_view folder, std::string_view name);
// True if the path is in the directory `folder`, at any depth: "a/b/c" is in "a/b" and in "a".
bool IsIn(std::string_view path, std::string_view folder);

// Opens the directory that holds `path`, for *at() calls with NameOf(path).
Result<UniqueFd> OpenFolderOf(const UniqueFd& folder, const std::string& path);

}  // namespace ringfence
