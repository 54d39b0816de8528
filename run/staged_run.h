// A run whose changes to the project are kept apart, in a stage of its own (staging/store). What
// happens to them afterwards is decided by ringfence-stage, which this process becomes at the end.
#pragma once

#include <signal.h>

#include <optional>

#include "audit_log/entry.h"
#include "base/outcome.h"
#include "base/result.h"
#include "run/options.h"
#include "run/request.h"
#include "run/stage_ending.h"
#include "sandbox/backend.h"
#include "sandbox/plan.h"
#include "staging/store/project_pause.h"
#include "staging/store/stage_store.h"

namespace ringfence {

class StagedRun final : public RunPause {
 public:
  // Creates the stage of the run, and points the request to it. With --json, moves the command's
  // standard output to standard error, since the result goes to standard output. A command that
  // works on the project alone waits for another one, and lets the other stages pause. Files that
  // were written before `begun` (CLOCK_REALTIME) count as written before the run.
  static Result<StagedRun> Begin(const RunOptions& options, RunRequest& request,
                                 const CachedFiles& files, int64_t begun);

  // Before a plan is made: where nothing can be mounted, copies the project, and points the request
  // to the copy. Returns true if it has.
  Result<bool> Prepare(RunRequest& request, HostSystem system);

  // Right before the start: changes that the user makes to the project from now on count as made
  // during the run.
  Status Mark(const SandboxPlan& plan);

  // The lines of the audit log about the stage, after Mark().
  AuditEntry StartEntry(const SandboxPlan& plan) const;
  AuditEntry EndEntry(int status) const;

  // RunObserver
  void TakeBuffer(UniqueFd buffer);
  bool IsBufferFull() const;

  // The command has ended. Without changes, removes the stage and returns its status. Otherwise the
  // process becomes ringfence-stage, so this returns only if that fails. `signal` has ended the
  // command; 0 for none.
  Outcome Finish(int status, int signal);

  // Nothing was run.
  void Abandon();

  // nullptr if the command works alone.
  RunPause* pause() { return project_.valid() ? nullptr : this; }
  int notices() const override { return others_ ? others_->notices() : -1; }
  bool IsWanted() override;
  void Paused(bool is_paused) override;

 private:
  // Of the memory for the changes.
  enum class BufferSpace : uint8_t { kFree, kNoBytes, kNoNames };
  BufferSpace SpaceOfBuffer() const;
  void SayIfBufferIsFull() const;
  void SayIfKilled(int signal) const;
  Error NotShown(Error error) const;

  StagedRun(const RunOptions& options, StageFolder folder)
      : options_(options), folder_(std::move(folder)) {}
  Status WorkAlone(const StageStore& store) const;
  Status WatchOthers(const StageStore& store);
  Status MoveOutput();
  Status Copy();
  Status SaveStart();
  UniqueFd Written() const;
  bool HasNoChanges() const;
  Status StartKeeper();
  Status Return() const;

  const RunOptions& options_;
  StageFolder folder_;
  StageRecord record_;
  std::string policy_;  // the file of --policy
  int64_t begun_ = 0;   // CLOCK_REALTIME
  sigset_t signals_{};  // before the run
  UniqueFd buffer_;     // the changes, if they are in memory
  UniqueFd output_;     // standard output, if the command has another
  UniqueFd keeper_;     // closed to end the process that keeps the bases of changed files
  StageEnding ending_;
  UniqueFd project_;                  // the project's lock, if the command works alone
  std::optional<PauseWatch> others_;  // if it does not
  std::string alone_;                 // the stage for which this one pauses; or ""
};

// Starts ringfence-stage in place of this process. Returns only on failure.
Error BecomeStageProgram(std::vector<std::string> words);

}  // namespace ringfence
