// MergePlan: what applying a stage would do to the project. It is shown first, and then carried out
// as it is (apply.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "staging/change_list.h"

namespace ringfence {

struct PlannedChange {
  enum class Action : uint8_t {
    kApply,     // as it is in the stage
    kMerge,     // both sides have changed the text: `merged` has both changes
    kConflict,  // both sides have changed it, and the user must decide
    kHold,      // the policy does not allow it, or something below it
    kSkip,      // is never applied: a FIFO, a socket, a device
  };
  Change change;
  Action action = Action::kApply;
  std::string merged;  // of kMerge
  // The permissions of kMerge, if the version before both is known; otherwise those of the stage.
  std::optional<uint32_t> merged_mode;
  bool keeps_attributes = false;    // of kMerge: those of the project
  std::optional<std::string> base;  // of a text in conflict, if it is known
  std::string why;                  // of kConflict, kHold and kSkip
  // How a conflict was resolved: `action` and `merged` follow from it.
  enum class Resolution : uint8_t {
    kNone,    // it was no conflict, or it still is
    kStaged,  // what the stage has replaces what the project has
    kMine,    // the project stays as it is
    kEdited,  // the user has edited a text with both changes
    kLater,   // skipped
  };
  Resolution resolution = Resolution::kNone;
  bool is_gits = false;  // in git's directory: users see it as branches

  // The permissions of the file when the change is done.
  uint32_t mode() const {
    return action == Action::kMerge ? merged_mode.value_or(change.after.mode) : change.after.mode;
  }
  bool is_done() const { return action == Action::kApply || action == Action::kMerge; }
};

using ChangeAction = PlannedChange::Action;
using ConflictResolution = PlannedChange::Resolution;

// Bytes. A larger file is never applied: one that only has holes takes hours to read.
constexpr uint64_t kMaxApplied = 1'000'000'000'000;

struct MergePlan {
  std::vector<PlannedChange> changes;  // sorted by PathBefore()

  size_t Count(ChangeAction action) const;
  size_t CountDone() const;  // applied and merged
};

// What the plan depends on besides the changes.
struct MergeSurroundings {
  // True if the name in the project, which is in this state now, is as it was when the stage began.
  std::function<bool(const std::string& path, const Entry& now)> is_unchanged;
  // The content of a file when the stage began; nothing if it is unknown.
  std::function<std::optional<std::string>(const std::string& path)> base;
  // The permissions of a file when the stage began; nothing if they are unknown.
  std::function<std::optional<uint32_t>(const std::string& path, const Entry& now)> base_mode;
  // AttributesDigest() of the file or directory when the stage began; nothing if it is unknown.
  std::function<std::optional<std::string>(const std::string& path, const Entry& now)>
      base_attributes;
  // The bytes of a file now, in the project and in the stage.
  std::function<Result<std::string>(const std::string&path)> project_bytes, staged_bytes;
  // Why the policy does not let this change be applied with all others; "" if it does.
  std::function<std::string(const Change&)> held_back;
};

// Without a known base, changes of both sides are never merged.
Result<MergePlan> PlanMerge(ChangeList changes, const MergeSurroundings& surroundings);

// Leaves out what cannot be done because other changes of the plan are not: what is in a new
// directory, the removal of a directory that holds something, all of a directory that nothing
// replaces, and the old name of a file that does not get its new one. A conflict leaves nothing out
// until it is decided: call it again then.
void LeaveOutDependents(MergePlan& plan);

}  // namespace ringfence
