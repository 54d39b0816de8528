// What a stage has changed in git's own directories. These files belong together, and the user's
// git may have changed them meanwhile, so they are not applied one by one: the objects are added,
// and each branch that has moved becomes a new branch.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "staging/change_list.h"
#include "staging/merge_plan.h"

namespace ringfence {

// The files of branches, in git's directory.
inline constexpr std::string_view kHeads = "refs/heads/";

// A branch or a detached HEAD that points to another commit than before.
struct StagedBranch {
  std::string repository;  // git's directory, ".git"
  std::string name;        // "main"; "HEAD" if it is detached
  std::string commit;      // 40 or 64 hexadecimal digits
  std::string becomes;     // the name of the branch that is created: "stage/k7fq"
};

// The path of the file that makes the new branch.
std::string ReferenceOf(const StagedBranch& branch);

struct RepositoryPlan {
  std::vector<PlannedChange> changes;  // sorted by PathBefore()
  std::vector<StagedBranch> branches;
};

// What the plan depends on besides the changes.
struct RepositorySurroundings {
  std::string stage;  // the id, for the names of branches
  // The bytes of a small file, in the stage and in the project.
  std::function<Result<std::string>(const std::string&path)> staged_bytes, project_bytes;
  // True if an added object or pack has what its name says (git_objects.h).
  std::function<bool(const std::string& path)> is_sound;
  // True if the name exists in the project.
  std::function<bool(const std::string& path)> exists;
};

// The path of the outermost directory ".git" at or above the path; "" if there is none.
std::string_view GitFolderOf(std::string_view path);

// Takes the changes in the directories ".git" that the project had before out of `changes`, and
// plans them.
Result<RepositoryPlan> PlanRepositories(ChangeList& changes,
                                        const RepositorySurroundings& surroundings);

}  // namespace ringfence
