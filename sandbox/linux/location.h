// Location: a name in an open directory, so that the name can be evaluated by the directory's real
// path and then used without another lookup.
#pragma once

#include <string>

#include "sandbox/linux/caller.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

struct Location {
  UniqueFd folder;              // O_PATH
  std::string folder_path;      // real path; "(unreachable)..." or similar if it has none here
  std::string name;             // the last component; "." if the path has none
  bool must_be_folder = false;  // the path ends with a slash

  std::string path() const;
  bool is_folder_itself() const { return name == "." || name == ".."; }
  bool is_in_proc() const;
};

// Opens a directory with O_PATH: `at` itself, its child, or its parent ("..").
UniqueFd OpenFolder(const UniqueFd& at, const char* name = ".");
// The same for any path from there, but through no magic link of /proc.
UniqueFd OpenFolderByPath(const UniqueFd& at, const std::string& path);

// Resolves the caller's path `text` relative to `fd`, without following the last component.
Result<Location> Locate(const SupervisedCaller& caller, Supervision& supervision, int fd,
                        const std::string& text);
// The same, relative to an open directory.
Result<Location> LocateBelow(const SupervisedCaller& caller, Supervision& supervision,
                             const UniqueFd& folder, const std::string& text);

// Returns the directory in which to create, replace, remove or open the name: its own or, for a
// saved file, the writable mount of it. The supervisor must follow no link there, and may give a
// caller only regular files from it.
const UniqueFd& FolderToChange(const Supervision& supervision, const Location& location);

// True if `file`, with the real path `path`, is a saved file in one of these writable directories:
// the only files there that a caller may have.
bool IsSavedFile(const Supervision& supervision, const UniqueFd& file, const std::string& path);

// Returns the real path of an open file, with long names (base/short_name.h); a text without a
// leading "/" if the file has no path.
Result<std::string> RealPath(const Supervision& supervision, const UniqueFd& fd);

// Returns the target of a symbolic link.
Result<std::string> ReadLinkAt(const UniqueFd& folder, const std::string& name);

}  // namespace ringfence
