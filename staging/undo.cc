#include "staging/undo.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/directory.h"
#include "base/read_number.h"
#include "base/syscall.h"
#include "files/beneath.h"
#include "files/journal_names.h"
#include "files/remove_tree.h"
#include "files/tree_transaction.h"
#include "staging/repository_changes.h"
#include "staging/stage.h"

namespace ringfence {
namespace {

constexpr std::string_view kUndo = "undo-";
constexpr std::string_view kUndone = "undone-";
constexpr const char* kTakenBack = "applied";  // in the directory of an undo

void AddNumber(std::string_view name, std::string_view prefix, std::vector<uint64_t>& numbers) {
  uint64_t number = 0;
  if (!name.starts_with(prefix)) return;
  if (ReadNumber(name.substr(prefix.size()), number)) numbers.push_back(number);
}

class Undoer {
 public:
  Undoer(const Stage& stage, UniqueFd undo, uint64_t number)
      : stage_(stage), undo_(std::move(undo)), number_(number) {}

  Result<Undone> Run() {
    const Result<std::vector<DoneStep>> done = ReadUndo(undo_);
    if (!done) return done.error();
    for (size_t i = 0; i < done->size(); ++i) {
      const DoneStep& step = (*done)[i];
      if (IsObjects(step)) continue;
      Status reversed = IsBranches(step) ? ReverseBranches(step) : Reverse(step, std::to_string(i));
      if (!reversed) return reversed.error();
    }
    if (!undone_.changed.empty()) return std::move(undone_);
    TreeTransaction transaction({stage_.project(), stage_.folder().fd(), {&undo_}});
    Result<std::optional<std::string>> mismatch = transaction.Perform(steps_);
    if (!mismatch) return mismatch.error();
    if (*mismatch) return Undone{.changed = {**mismatch}, .kept = transaction.changed()};
    if (Status s = transaction.Commit(UndoneName(number_)); !s) return s.error();
    if (Status s = FinishUndo(stage_.folder()); !s) return s.error();
    return std::move(undone_);
  }

 private:
  static bool IsAddedInGit(const DoneStep& done, std::string_view part) {
    const std::string_view repository = GitFolderOf(done.path);
    return !repository.empty() && repository != done.path && !done.before.exists() &&
           std::string_view(done.path).substr(repository.size() + 1).starts_with(part);
  }
  static bool IsObjects(const DoneStep& done) { return IsAddedInGit(done, "objects/"); }
  static bool IsBranches(const DoneStep& done) { return IsAddedInGit(done, kHeads); }

  // Removes a new branch, or a new directory with branches. If the user has changed or checked out
  // one of them since, it stays, and all other changes are taken back.
  Status ReverseBranches(const DoneStep& done) {
    const Result<UniqueFd> folder = OpenFolderOf(stage_.project(), done.path);
    if (!folder && IsMissing(folder.error())) return Unit{};
    if (!folder) return folder.error();
    const Result<Entry> now = LookAt(folder->get(), std::string(NameOf(done.path)), done.path);
    if (!now) return now.error();
    if (!now->exists()) return Unit{};
    const Result<bool> is_placed = IsStillPlaced(*folder, done);
    if (!is_placed) return is_placed.error();
    if (*is_placed && !IsCheckedOut(done.path)) {
      steps_.push_back({.kind = DoneStep::Kind::kRemove,
                        .path = done.path,
                        .expected = *now,
                        .expected_inside = done.placed_inside});
      return Unit{};
    }
    if (!done.placed.is_directory()) {
      undone_.branches.push_back(done.path);
      return Unit{};
    }
    for (const auto& [below, entry] : done.placed_inside) {
      if (entry.is_directory()) continue;
      const DoneStep inner{.path = done.path + "/" + below, .placed = entry};
      if (Status s = ReverseBranches(inner); !s) return s;
    }
    return Unit{};
  }

  // True if HEAD is on the branch, or on one in the directory.
  bool IsCheckedOut(const std::string& path) const {
    constexpr size_t kLongest = 8192;
    const std::string_view repository = GitFolderOf(path);
    const Result<UniqueFd> head = OpenBeneath(stage_.project(), std::string(repository) + "/HEAD",
                                              O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const Result<std::string> text = head ? ReadAll(head->get(), kLongest, path) : head.error();
    const std::string branch = "ref: " + path.substr(repository.size() + 1);
    return text && text->starts_with(branch) &&
           text->find_first_of("/\n", branch.size()) == branch.size();
  }

  // Adds the step that reverses `done`. `name` is what was replaced, in the undo directory.
  Status Reverse(const DoneStep& done, const std::string& name) {
    const Result<UniqueFd> folder = OpenFolderOf(stage_.project(), done.path);
    if (!folder && IsMissing(folder.error())) return Changed(done);
    if (!folder) return folder.error();
    const Result<Entry> now = LookAt(folder->get(), std::string(NameOf(done.path)), done.path);
    if (!now) return now.error();
    if (done.kind == DoneStep::Kind::kMode) return ReverseMode(done, *now);
    const Result<bool> is_placed = IsStillPlaced(*folder, done);
    if (!is_placed) return is_placed.error();
    if (!*is_placed) return Changed(done);
    TreeStep step{.kind = done.before.exists() ? DoneStep::Kind::kPut : DoneStep::Kind::kRemove,
                  .path = done.path,
                  .expected = *now,
                  .expected_inside = done.placed_inside,
                  .mark = done.mark};
    if (done.before.exists()) {
      if (Status s = TreeAt(undo_, name).MoveTo(step.tree); !s) return s;
      // Earlier applies recognize their files again, so they can be taken back as well.
      for (NewEntry& entry : step.tree.entries) {
        entry.is_link_to_source = entry.kind == EntryKind::kFile;
      }
    }
    steps_.push_back(std::move(step));
    return Unit{};
  }

  Status ReverseMode(const DoneStep& done, const Entry& now) {
    if (!IsSameInode(now, done.before) || now.mode != done.mode) return Changed(done);
    if (done.attributes) {
      const Result<UniqueFd> folder = OpenBeneath(stage_.project(), done.path, kOpenDirectory);
      if (!folder) return folder.error();
      const Result<AttributeValues> values = ReadAttributes(folder->get());
      if (!values || *values != *done.attributes) return Changed(done);
    }
    steps_.push_back({.kind = DoneStep::Kind::kMode,
                      .path = done.path,
                      .expected = now,
                      .mode = done.before.mode,
                      .attributes = done.old_attributes});
    return Unit{};
  }

  Status Changed(const DoneStep& done) {
    undone_.changed.push_back(done.path);
    return Unit{};
  }

  const Stage& stage_;
  UniqueFd undo_;
  uint64_t number_;
  Undone undone_;
  std::vector<TreeStep> steps_;
};

// Other stages find the versions before theirs by the steps of an apply (BaseVersions).
Status KeepSteps(const StageFolder& stage, const UniqueFd& undo, uint64_t number) {
  const std::string name = TakenBackName(number);
  if (::mkdirat(stage.fd().get(), name.c_str(), 0700) != 0 && errno != EEXIST) {
    return SystemError("mkdir(" + name + ")");
  }
  const Result<UniqueFd> kept = OpenBeneath(stage.fd(), name, kOpenDirectory);
  if (!kept) return kept.error();
  const bool is_moved = ::renameat(undo.get(), kUndoSteps, kept->get(), kUndoSteps) == 0;
  return CallStatus(is_moved || errno == ENOENT, "rename(" + name + ")");
}

}  // namespace

std::string UndoName(uint64_t number) { return std::string(kUndo) + std::to_string(number); }
std::string UndoneName(uint64_t number) { return std::string(kUndone) + std::to_string(number); }
std::string TakenBackName(uint64_t number) { return UndoneName(number) + "/" + kTakenBack; }

uint64_t ApplyNumbers::next() const {
  const uint64_t last = applied.empty() ? 0 : applied.back();
  return std::max(last, undone.empty() ? 0 : undone.back()) + 1;
}

Result<ApplyNumbers> FindApplies(const StageFolder& stage) {
  ApplyNumbers numbers;
  const std::optional<bool> read = AnyEntry(stage.fd(), [&numbers](const dirent& entry) {
    AddNumber(entry.d_name, kUndo, numbers.applied);
    AddNumber(entry.d_name, kUndone, numbers.undone);
    return false;
  });
  if (!read) return SystemError("readdir(" + stage.path().text() + ")");
  std::ranges::sort(numbers.applied);
  std::ranges::sort(numbers.undone);
  // A process that was killed can have left both (FinishUndo()).
  std::erase_if(numbers.applied, [&numbers](uint64_t number) {
    return std::ranges::binary_search(numbers.undone, number);
  });
  return numbers;
}

Result<std::vector<DoneStep>> StepsIn(const StageFolder& stage, const std::string& name) {
  const Result<UniqueFd> folder = OpenBeneath(stage.fd(), name, kOpenDirectory);
  return folder ? ReadUndo(*folder) : folder.error();
}

Result<bool> HasUnapplied(const Stage& stage) {
  const Result<ApplyNumbers> applies = FindApplies(stage.folder());
  if (!applies) return applies.error();
  std::set<std::string, std::less<>> applied;
  for (const uint64_t number : applies->applied) {
    Result<std::vector<DoneStep>> steps = StepsIn(stage.folder(), UndoName(number));
    if (!steps) return steps.error();
    for (DoneStep& step : *steps) {
      for (const Contents* inside : {&step.placed_inside, &step.before_inside}) {
        for (const auto& [below, entry] : *inside) applied.insert(step.path + "/" + below);
      }
      applied.insert(std::move(step.path));
    }
  }
  const Result<ChangeList> changes = stage.Changes();
  if (!changes) return changes.error();
  return std::ranges::any_of(*changes, [&](const Change& change) {
    const bool never = !GitFolderOf(change.path).empty() ||
                       change.after.kind == EntryKind::kSpecial ||
                       change.before.kind == EntryKind::kSpecial || change.is_too_deep;
    return !never && !applied.contains(change.path);
  });
}

Result<Undone> UndoApply(const Stage& stage) {
  const Result<ApplyNumbers> numbers = FindApplies(stage.folder());
  if (!numbers) return numbers.error();
  if (numbers->applied.empty()) return SystemError("open(undo)", ENOENT);
  const uint64_t number = numbers->applied.back();
  Result<UniqueFd> undo = OpenBeneath(stage.folder().fd(), UndoName(number), kOpenDirectory);
  if (!undo) return undo.error();
  return Undoer(stage, std::move(*undo), number).Run();
}

Status FinishUndo(const StageFolder& stage) {
  const Result<ApplyNumbers> numbers = FindApplies(stage);
  if (!numbers) return numbers.error();
  for (const uint64_t number : numbers->undone) {
    const Result<UniqueFd> undo = OpenBeneath(stage.fd(), UndoName(number), kOpenDirectory);
    if (!undo && undo.error().code == ENOENT) continue;
    if (!undo) return undo.error();
    if (Status s = KeepSteps(stage, *undo, number); !s) return s;
    if (Status s = RemoveTreeAt(stage.fd().get(), UndoName(number)); !s) return s;
  }
  return Unit{};
}

}  // namespace ringfence
