// The copy of a project that a command works on where no overlay can keep its changes apart. A list
// of the copied files tells later what the command has changed, whatever changes in the project.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "files/entry.h"
#include "staging/change_list.h"
#include "staging/store/stage_store.h"

namespace ringfence {

// Called with the number of files that are copied, and how many there are.
using CopyProgress = std::function<void(size_t done, size_t all)>;

struct CopiedProject {
  // Files and directories that the user may not read: the copy has empty ones.
  std::vector<std::string> unread;
};

// Copies the record's project to the stage, whose directory has no copy yet, with reflinks where
// the file system has them (ioctl_ficlone(2)). Leaves out FIFOs, sockets and devices, and what is
// mounted in the project. What the user may not write is read-only in the copy, whoever owns it. An
// error if the copy does not fit.
Result<CopiedProject> CopyProject(const StageFolder& folder, const StageRecord& record,
                                  const CopyProgress& progress);

// Copies a project in the same way as `name`, which must not exist, in the directory `place`.
Status CopyProjectAs(const UniqueFd& project, const UniqueFd& place, const std::string& name);

// The project's files when they were copied, by their paths, without those that were changed in the
// meantime.
using Originals = std::map<std::string, Entry, std::less<>>;
Result<Originals> ReadOriginals(const StageFolder& folder);

// What the command has changed in the copy, compared with the project as it is now. Otherwise as
// ReadUpperLayer(), but takes time for the whole project.
struct CopyFolders {
  const StageFolder& stage;
  const UniqueFd& written;
  const UniqueFd& project;
};
Result<ChangeList> ReadCopy(const CopyFolders& folders);

}  // namespace ringfence
