// Location: a name in a folder that is held open, so that it can be evaluated by the folder's real
// path and then used without being looked up again.
#pragma once

#include <string>

#include "sandbox/linux/caller.h"
#include "sandbox/linux/supervisor.h"

namespace ringfence {

struct Location {
  UniqueFd folder;              // O_PATH
  std::string folder_path;      // real; "(unreachable)..." and the like for what has no name here
  std::string name;             // the last component; "." where the text names no other
  bool must_be_folder = false;  // the text ends with a slash

  std::string path() const;
  bool is_folder_itself() const { return name == "." || name == ".."; }
  bool is_in_proc() const;
};

// Where `text` of the caller's leads, relative to `fd`; the last component is not followed.
Result<Location> Locate(const SupervisedCaller& caller, Supervision& supervision, int fd,
                        const std::string& text);
// The same below a folder that is known.
Result<Location> LocateBelow(const SupervisedCaller& caller, Supervision& supervision,
                             const UniqueFd& folder, const std::string& text);

// Where a name is made, replaced, removed or opened: its folder, or for a file that is saved the
// writable one. No link may be followed from it, and nothing but a plain file is given to a caller.
const UniqueFd& FolderToChange(const Supervision& supervision, const Location& location);

// A caller's file that was opened in such a writable folder, by its real path: all that a caller
// may have of one.
bool IsSavedFile(const Supervision& supervision, const UniqueFd& file, const std::string& path);

// The real path of an open file, with long names (base/short_name.h); a text that does not begin
// with
// "/" for what has none.
Result<std::string> RealPath(const Supervision& supervision, const UniqueFd& fd);

// The target of a link.
Result<std::string> ReadLinkAt(const UniqueFd& folder, const std::string& name);

}  // namespace ringfence
