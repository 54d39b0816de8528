// Changes the files of one installation: all of them or none, even if the command is killed or the
// disk is full. Programs that run keep their old files.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/not_copied.h"
#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "cli/common/file_transaction.h"
#include "files/tree_transaction.h"

namespace ringfence {

class ProgramChange : NotCopied {
 public:
  // `root` is the open `prefix`, which must outlive this.
  ProgramChange(Path prefix, const UniqueFd& root) : prefix_(std::move(prefix)), root_(root) {}
  ~ProgramChange();

  // Waits for other commands of the user that change files, until the destructor. Undoes a change
  // of this prefix that was interrupted. Keeps its journal in the state directory of `home`, where
  // no agent can write.
  Status Open(const std::string& home);

  // Creates missing directories, and removes those that are empty after a removal.
  Status Perform(const std::vector<TreeStep>& steps);

 private:
  Status Change(const std::vector<TreeStep>& steps);
  Status MakeFolder(const std::string& folder);
  Status MakeFolders(const std::vector<TreeStep>& steps);
  void RemoveEmptyFolders(const std::vector<TreeStep>& steps) const;

  Path prefix_;
  const UniqueFd& root_;
  std::optional<ChangeJournal> lock_;
  std::optional<FilePlace> state_place_;
  UniqueFd state_;
  std::vector<std::string> made_;  // directories, outermost first
};

}  // namespace ringfence
