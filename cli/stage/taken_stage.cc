#include "cli/stage/taken_stage.h"

#include <fcntl.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "base/directory.h"
#include "base/text.h"
#include "cli/stage/stage_choice.h"
#include "cli/stage/stage_log.h"
#include "files/beneath.h"
#include "files/tree_transaction.h"
#include "run/messages.h"
#include "staging/store/project_pause.h"
#include "staging/undo.h"

namespace ringfence {
namespace {

// Completes or undoes what a command that was killed has left.
Status RecoverStage(const Stage& stage, const Registration& given) {
  const Result<Recovered> recovered = Recover(stage.project(), stage.folder().fd());
  if (!recovered) return recovered.error();
  if (Status s = FinishUndo(stage.folder()); !s) return s;
  if (recovered->was_interrupted) {
    Say("note: a command was interrupted while it applied stage " + stage.record().id +
        "; what it had changed is undone");
    if (Status s = LogRecovery(given, stage.folder()); !s) {
      Say("warning: this is not logged: " + Printable(s.error().text()));
    }
  }
  SayEarlierVersions(stage, recovered->changed);
  return Unit{};
}

Status LockEndedStage(const StageFolder& stage) {
  constexpr int kTries = 50;  // of StageFolder::Lock(): about ten seconds
  for (int tries = 0; tries < kTries; ++tries) {
    const Result<bool> is_free = stage.Lock();
    if (!is_free) return is_free.error();
    if (*is_free) return Unit{};
    if (tries == 0) {
      Say("note: waiting for another process that uses stage " + std::string(stage.path().name()));
    }
  }
  return LockStage(stage);
}

Result<TakenStage> TakeWithLock(const StageOptions& options, StagePart part,
                                Status (*lock)(const StageFolder&)) {
  Result<StageStore> store = FindStages(options.given);
  if (!store) return store.error();
  Result<StageFolder> folder = ChooseFolder(*store, options.id, part);
  if (!folder) return folder.error();
  if (Status s = lock(*folder); !s) return s.error();
  Result<Stage> stage = OpenStage(std::move(*folder));
  if (!stage) return stage.error();
  if (Status s = RecoverStage(*stage, options.given); !s) return s.error();
  return TakenStage{std::move(*store), std::move(*stage), {}};
}

// The directory of a transaction with the versions of files that it could not put back.
constexpr const char* kKeptVersions = "kept";

}  // namespace

void RecoverStages(const StageOptions& options) {
  const Result<StageStore> store = FindStages(options.given);
  const Result<std::vector<std::string>> ids = store ? store->Ids() : store.error();
  if (!ids) return;
  for (const std::string& id : *ids) {
    Result<StageFolder> folder = store->Open(id);
    if (!folder || !folder->HasJournal()) continue;
    const Result<bool> is_free = folder->Lock();
    if (!is_free || !*is_free) continue;
    const Result<Stage> stage = Stage::Open(std::move(*folder));
    if (!stage) continue;
    if (Status s = RecoverStage(*stage, options.given); !s) {
      Say("warning: a command was interrupted while it applied stage " + id +
          ", and what it had changed cannot be undone: " + Printable(s.error().text()));
    }
  }
}

Status CheckRemovable(const StageFolder& stage) {
  const std::string id(stage.path().name());
  if (stage.HasJournal()) {
    const Result<StageRecord> record = stage.Load();
    const bool has_project = record && ::access(record->project.text().c_str(), F_OK) == 0;
    if (has_project) {
      return Error{Error::Kind::kSystem, stage.path().text(),
                   "has files of the project that an interrupted command has replaced", ""};
    }
  }
  const Result<UniqueFd> kept =
      OpenBeneath(stage.fd(), kKeptVersions, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  const std::optional<bool> has_versions =
      kept ? AnyEntry(*kept, [](const dirent&) { return true; }) : std::optional(false);
  if (has_versions && !*has_versions) return Unit{};
  return Error{Error::Kind::kSystem, stage.path().Child(kKeptVersions).text(),
               "has earlier versions of files that were changed while the stage was applied",
               "keep what you need, remove that directory, and run the command again"};
}

void SayEarlierVersions(const Stage& stage, const std::vector<std::string>& changed) {
  for (const std::string& path : changed) {
    Say("note: " + Quote(path) +
        " was changed since, and stays as it is; its version before is in " +
        Quote(stage.folder().path().Child(kKeptVersions).text()));
  }
}

Result<TakenStage> TakeStage(const StageOptions& options, StagePart part) {
  return TakeWithLock(options, part, LockStage);
}

Result<TakenStage> TakeEndedStage(const StageOptions& options) {
  return TakeWithLock(options, StagePart::kChanges, LockEndedStage);
}

Status TakeProject(TakenStage& taken, const char* then) {
  if (taken.project.valid()) return Unit{};
  constexpr int kPatience = 10'000;
  const StageRecord& record = taken.stage.record();
  Result<UniqueFd> lock = taken.store.LockProject(record.project, kPatience);
  if (!lock) return lock.error();
  if (lock->valid()) {
    taken.project = std::move(*lock);
    return Unit{};
  }
  const std::string alone = StageAlone(taken.store, record.project);
  return Error{Error::Kind::kSystem, record.project.text(),
               alone.empty()
                   ? "another command applies changes there; nothing was changed"
                   : "the command of stage " + alone + " works alone there; nothing was changed",
               std::string("wait until it has ended, then: ") + then + record.id};
}

Status LockStage(const StageFolder& stage) {
  const Result<bool> is_free = stage.Lock();
  if (!is_free) return is_free.error();
  if (*is_free) return Unit{};
  return UsageError("", "stage " + std::string(stage.path().name()) + " is in use",
                    "wait until its command has ended and its question is answered");
}

Outcome SayKept(Stage& stage, int status) {
  const std::string& id = stage.record().id;
  if (Status s = stage.MakeDurable(); !s) {
    Say("warning: the changes may be lost if the machine stops: " + Printable(s.error().text()));
  }
  Say("the changes are kept as stage " + id + "; to see them: ringfence stage diff " + id +
      "; then: ringfence stage apply " + id + ", or ringfence stage discard " + id);
  return status;
}

}  // namespace ringfence
