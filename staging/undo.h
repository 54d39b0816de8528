// The applies of a stage, and how they are taken back.
//
// Each apply has a number. As long as it can be taken back, the directory "undo-NUMBER" of the
// stage has what it replaced; afterwards, "undone-NUMBER" has the steps that restored it
// (TreeTransaction::Commit()), and "undone-NUMBER/applied" those of the apply.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/done_step.h"
#include "staging/store/stage_store.h"

namespace ringfence {

class Stage;

struct ApplyNumbers {
  std::vector<uint64_t> applied;  // can be taken back; sorted
  std::vector<uint64_t> undone;   // were taken back; sorted

  uint64_t next() const;
};
Result<ApplyNumbers> FindApplies(const StageFolder& stage);

std::string UndoName(uint64_t number);    // "undo-1"
std::string UndoneName(uint64_t number);  // "undone-1"
// The directory with the steps of an apply that was taken back: "undone-1/applied".
std::string TakenBackName(uint64_t number);

// The steps in one of these directories.
Result<std::vector<DoneStep>> StepsIn(const StageFolder& stage, const std::string& name);

// True if the stage has changes that could be applied and are not. `stage` is locked.
Result<bool> HasUnapplied(const Stage& stage);

struct Undone {
  // Names that were changed since. Then nothing was taken back.
  std::vector<std::string> changed;
  // Those of them that were changed while that was undone (Recovered::changed).
  std::vector<std::string> kept;
  // The files of branches that stay, because they were changed since or are checked out.
  std::vector<std::string> branches;
};

// Takes back the last apply. Git's objects stay, since the user's own commits and index may need
// them by now; git removes those that nothing needs. `stage` is locked, and there is one.
Result<Undone> UndoApply(const Stage& stage);

// Completes an undo after which the process was killed. `stage` is locked.
Status FinishUndo(const StageFolder& stage);

}  // namespace ringfence
