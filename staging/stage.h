// Stage: one stage with its project, opened to look at its changes.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "staging/change_list.h"
#include "staging/store/stage_store.h"

namespace ringfence {

// True if the changes were in the memory of a process that has ended.
bool IsLost(const StageRecord& record);

class Stage {
 public:
  // Fails if the project does not exist any more.
  static Result<Stage> Open(StageFolder folder);

  const StageFolder& folder() const { return folder_; }
  const StageRecord& record() const { return record_; }
  StageRecord& record() { return record_; }
  const UniqueFd& written() const { return written_; }
  const UniqueFd& project() const { return project_; }

  bool is_copy() const { return record_.mechanism == StageMechanism::kCopy; }
  // True while the command runs.
  bool is_running() const { return is_running_; }
  // True if the machine stopped while changes were not on the disk: they may be incomplete.
  bool is_dirty() const;

  // Copies changes that are in memory to the disk. The stage is locked.
  Status StoreBuffer();

  // Waits until the changes are on the disk, and notes it. The stage is locked.
  Status MakeDurable();

  Result<ChangeList> Changes() const;

  // The bytes of a file of the stage, and of the project. A file beyond `limit` is an error.
  Result<std::string> StagedBytes(const std::string& path, size_t limit) const;
  Result<std::string> ProjectBytes(const std::string& path, size_t limit) const;

 private:
  Result<UniqueFd> OpenWritten() const;

  Stage(StageFolder folder, StageRecord record)
      : folder_(std::move(folder)), record_(std::move(record)) {}

  StageFolder folder_;
  StageRecord record_;
  UniqueFd written_;
  UniqueFd project_;
  bool is_running_ = false;
};

}  // namespace ringfence
