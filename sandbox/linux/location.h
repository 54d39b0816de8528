// Location: a name in an open directory, so that the name can be evaluated by the directory's real
// path and then used without another lookup.
#pragma once

#include <cerrno>
#include <string>
#include <utility>

#include "base/path.h"
#include "sandbox/linux/caller.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

struct Location {
  UniqueFd folder;              // O_PATH
  std::string folder_path;      // real path; "(unreachable)..." or similar if it has none here
  std::string name;             // the last component; "." if the path has none
  bool must_be_folder = false;  // the path ends with a slash

  std::string path() const;
  bool is_in_proc() const;
};

// Opens a directory with O_PATH: `at` itself, its child, or its parent ("..").
UniqueFd OpenFolder(const UniqueFd& at, const char* name = ".");
// The same for any path from there, but through no magic link of /proc.
UniqueFd OpenFolderByPath(const UniqueFd& at, const std::string& path);

// Resolves the caller's path `text` relative to `fd`, without following the last component.
Result<Location> Locate(const SupervisedCaller& caller, int fd, const std::string& text);
// The same, relative to an open directory.
Result<Location> LocateBelow(const SupervisedCaller& caller, const UniqueFd& folder,
                             const std::string& text);

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

// Opens an open file once more, with other flags.
UniqueFd ReopenFile(const Supervision& supervision, const UniqueFd& file, int flags,
                    mode_t mode = 0);

// Returns the target of a symbolic link.
Result<std::string> ReadLinkAt(const UniqueFd& folder, const std::string& name);

// Calls `step` with the location of the caller's path, then with that of each link's target. `step`
// returns 0 or an errno value, and sets its second argument if the name is a link to follow.
template <typename Step>
int FollowLinks(const SupervisedCaller& caller, int fd, std::string text, Step step) {
  UniqueFd from;  // directory of the link that was followed last
  for (int links = 0; links <= kMaxLinks; ++links) {
    Result<Location> at = from.valid() ? LocateBelow(caller, from, text) : Locate(caller, fd, text);
    if (!at) return at.error().code;
    if (!caller.IsWaiting()) return ESRCH;
    bool is_link = false;
    const int code = step(*at, is_link);
    if (code != 0 || !is_link) return code;
    if (Status s = ReadLinkAt(at->folder, at->name).MoveTo(text); !s) return s.error().code;
    if (at->must_be_folder) text += "/";
    from = std::move(at->folder);
  }
  return ELOOP;
}

}  // namespace ringfence
