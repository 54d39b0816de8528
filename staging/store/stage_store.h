// The stages of a user: one directory for each, below ~/.local/state/ringfence/stages. Only the
// user may enter them, and every sandbox hides them.
//
// A stage's directory holds its record, the changes (staging/store/names.h), and what is needed to
// undo them. A process that works on a stage holds a lock on its directory: the launcher while the
// command runs, and then each command that changes the stage.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "staging/store/record.h"

namespace ringfence {

class StageFolder {
 public:
  const Path& path() const { return path_; }
  // The directory with the changes, or with the copy of the project.
  Path written(const StageRecord& record) const;
  // The directory above a copy that the command works in (CopiesBeside()).
  Path elsewhere() const;
  // The open directory.
  const UniqueFd& fd() const { return fd_; }

  // Replaces the record as a whole. Does not wait for the disk.
  Status Save(const StageRecord& record) const;
  // The same for another file of the stage.
  Status Write(const std::string& name, std::string_view bytes) const;
  Result<StageRecord> Load() const;

  // Returns false if another process works on the stage, after waiting for it for a moment. The
  // lock ends with this object.
  Result<bool> Lock() const;
  // True if another process works on the stage. Locks nothing; this object must not hold the lock.
  bool IsInUse() const;

  // True if a command is applying or undoing the stage, or was killed meanwhile.
  bool HasJournal() const;

  // Creates the directory of the copy if the command works in it.
  Status MakeElsewhere() const;

  // Notes that the command pauses for that of another stage (project_pause.h); "" if it goes on.
  // The launcher does this while the command runs.
  void NotePause(std::string_view alone) const;
  std::string PausedFor() const;

  // Removes the stage with everything in it and its copy, the record first: what a removal that is
  // interrupted leaves is not a stage. The caller holds the lock.
  Status Remove() const;

 private:
  friend class StageStore;
  StageFolder(Path path, UniqueFd fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  Path path_;
  UniqueFd fd_;
};

class StageStore {
 public:
  // `folder` is StagesFolder() (sandbox/private_folders.h). It need not exist.
  explicit StageStore(Path folder) : folder_(std::move(folder)) {}

  const Path& folder() const { return folder_; }

  // Creates a stage with a new id, and locks it.
  Result<StageFolder> Create() const;
  // Fails with ENOENT if the stage does not exist.
  Result<StageFolder> Open(std::string_view id) const;
  // The lock of a project: held by a command while it applies changes there, and while a user's
  // command works on the project alone (project_pause.h). Waits for it up to `milliseconds`, or
  // without a limit (kNoLimit). Returns an invalid descriptor if another process still holds it
  // then. The lock ends when the descriptor is closed.
  static constexpr int kNoLimit = -1;
  Result<UniqueFd> LockProject(const Path& project, int milliseconds) const;
  // The same file without the lock.
  Result<UniqueFd> OpenProjectLock(const Path& project) const;
  // The ids of all stages, sorted.
  Result<std::vector<std::string>> Ids() const;

 private:
  Result<UniqueFd> OpenOrMake() const;

  Path folder_;
};

// True if `text` could be the id of a stage.
bool IsStageId(std::string_view text);

}  // namespace ringfence
