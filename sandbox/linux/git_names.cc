#include "sandbox/linux/git_names.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/case_fold.h"
#include "sandbox/linux/new_repository.h"
#include "sandbox/linux/own_work_tree.h"
#include "sandbox/linux/whole_files.h"

namespace ringfence {
namespace {

// git takes a folder with these three for a repository, and runs what its configuration and hooks
// say (gitrepository-layout(5)).
constexpr std::array<std::string_view, 3> kParts = {"head", "objects", "refs"};
constexpr std::array<std::string_view, 4> kOwn = {"head", "config", "config.worktree", "hooks"};

const GuardedName kBare{.why = "a new or a bare repository"};
const GuardedName kGitFile{.why = "it leads to a work tree's repository"};
const GuardedName kTakenName{.why = "ringfence saves files of git by way of it"};

// A caller can take away the right to look for a moment: what cannot be told may be either.
bool MayBeThere(const UniqueFd& folder, const char* name) {
  return ::faccessat(folder.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
         (errno != ENOENT && errno != ENOTDIR);
}
bool MayBeMissing(const UniqueFd& folder, const char* name) {
  return ::faccessat(folder.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
}

// All parts are there, or are when `made` is there as well.
bool IsBare(const UniqueFd& folder, std::string_view made) {
  return std::ranges::all_of(kParts, [&](std::string_view part) {
    return part == made || MayBeThere(folder, part == "head" ? "HEAD" : std::string(part).c_str());
  });
}

// ".git" and what it keeps for submodules: rules name their parts.
bool IsNamedByRules(const std::string& folder) {
  return folder.ends_with("/.git") || folder.find("/.git/modules/") != std::string::npos;
}

bool MakesBareRepository(const Location& location) {
  const std::string name = FoldName(location.name);
  const bool is_own = std::ranges::find(kOwn, name) != kOwn.end();
  if (!is_own && std::ranges::find(kParts, name) == kParts.end()) return false;
  if (IsNamedByRules(FoldName(location.folder_path))) return false;
  return (is_own || MayBeMissing(location.folder, location.name.c_str())) &&
         IsBare(location.folder, name);
}

// A hook, or what lies deeper.
bool IsHookOfBareRepository(const Location& location) {
  std::string path = FoldName(location.folder_path);
  if ((path + "/").find("/hooks/") == std::string::npos) return false;
  UniqueFd folder(::openat(location.folder.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (folder.valid() && !path.empty()) {
    const bool is_hooks = path.ends_with("/hooks");
    path.resize(path.rfind('/'));
    folder = UniqueFd(::openat(folder.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (is_hooks && folder.valid() && !IsNamedByRules(path) && IsBare(folder, "")) return true;
  }
  return !folder.valid();
}

// What is private to the outer sandbox is private to those inside it.
bool GuardsRepositories(const Supervision& supervision, const std::string& path) {
  if (supervision.names.IsExempt(path)) return false;
  return std::ranges::any_of(supervision.rules, [&](const GuardedNames* names) {
    return names->GuardsRepositories(path);
  });
}

}  // namespace

const GuardedName* RefusedByGit(const Supervision& supervision, const Location& location) {
  if (!GuardsRepositories(supervision, location.path())) return nullptr;
  if (FoldName(location.name) == kUnsaved) return &kTakenName;
  if (IsGitFile(location)) {
    if (!IsOwnGitFile(supervision, location)) return &kGitFile;
    if (HoldsExempted(supervision, location)) return &kGitFile;
  }
  if (MakesBareRepository(location) || IsHookOfBareRepository(location)) return &kBare;
  return nullptr;
}

const GuardedName* RefusedMove(const Supervision& supervision, const Location& tree) {
  if (!GuardsRepositories(supervision, tree.path())) return nullptr;
  // "../.." in it would lead to another repository.
  if (MayBeThere(tree.folder, (tree.name + "/commondir").c_str())) return &kGitFile;
  if (FoldName(tree.name) == "worktrees" && IsBare(tree.folder, "")) return &kGitFile;
  return nullptr;
}

bool HasBecomeBare(const Supervision& supervision, const Location& location) {
  const std::string name = FoldName(location.name);
  if (std::ranges::find(kParts, name) == kParts.end()) return false;
  return GuardsRepositories(supervision, location.path()) &&
         !IsNamedByRules(FoldName(location.folder_path)) && IsBare(location.folder, "");
}

}  // namespace ringfence
