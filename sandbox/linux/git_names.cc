#include "sandbox/linux/git_names.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/case_fold.h"
#include "base/contains.h"
#include "base/directory.h"
#include "base/same_file.h"
#include "policy/files/git_files.h"
#include "sandbox/linux/own_work_tree.h"
#include "sandbox/linux/whole_files.h"

namespace ringfence {
namespace {

constexpr size_t kMaxLevels = 256;    // directory depth
constexpr size_t kMaxMoved = 10'000;  // names below a directory that becomes a repository's

const GuardedName kBare{.why = "a new or a bare repository"};
const GuardedName kGitFile{.why = "it leads to a work tree's repository"};
const GuardedName kLink{.why = "git would write through the link"};
const GuardedName kTakenName{.why = "ringfence saves files of git by way of it"};

// A caller can briefly remove the permission to check, so an unknown state counts as both.
bool MayBeThere(const UniqueFd& folder, const char* name) {
  return ::faccessat(folder.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
         (errno != ENOENT && errno != ENOTDIR);
}
bool MayBeMissing(const UniqueFd& folder, const char* name) {
  return ::faccessat(folder.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
}

// True if all parts of a repository exist, or will exist once `made` does.
bool IsBare(const UniqueFd& folder, std::string_view made) {
  return HasRepositoryParts(made, [&](const char* part) { return MayBeThere(folder, part); });
}

// True for ".git" and its submodule repositories: the rules name their parts.
bool IsNamedByRules(const std::string& folder) {
  return folder.ends_with("/.git") || folder.find("/.git/modules/") != std::string::npos;
}

bool MakesBareRepository(const Location& location) {
  const bool is_own = ChoosesProgramsOfGit(location.name);
  if (!is_own && !IsRepositoryPart(location.name)) return false;
  if (IsNamedByRules(FoldName(location.folder_path))) return false;
  return (is_own || MayBeMissing(location.folder, location.name.c_str())) &&
         IsBare(location.folder, location.name);
}

// True for anything below the hooks directory of a bare repository.
bool IsHookOfBareRepository(const Location& location) {
  std::string path = FoldName(location.folder_path);
  if ((path + "/").find("/hooks/") == std::string::npos) return false;
  UniqueFd folder = OpenFolder(location.folder);
  while (folder.valid() && !path.empty()) {
    const bool is_hooks = path.ends_with("/hooks");
    path.resize(path.rfind('/'));
    folder = OpenFolder(folder, "..");
    if (is_hooks && folder.valid() && !IsNamedByRules(path) && IsBare(folder, "")) return true;
  }
  return !folder.valid();
}

// Directories of a repository in which the rules name files.
constexpr std::array<std::string_view, 7> kCheckedNames = {
    "remotes", "branches", "info", "objects", "sequencer", "sl", "worktrees"};

bool HasCheckedName(std::string_view path) {
  while (!path.empty()) {
    if (Contains(kCheckedNames, TakeComponent(path))) return true;
  }
  return false;
}

// Directories in which version control programs keep their own files.
constexpr std::array<std::string_view, 8> kControlled = {".git", ".hg",  ".sl",    ".jj",
                                                         ".svn", ".bzr", "_darcs", ".pijul"};

bool IsControlled(std::string_view name) { return Contains(kControlled, FoldName(name)); }

// True if the directory belongs to a repository or is inside one.
bool IsInRepository(const UniqueFd& folder, std::string_view path, const Path& root) {
  for (std::string_view rest = path; !rest.empty();) {
    if (IsControlled(TakeComponent(rest))) return true;
  }
  UniqueFd at = OpenFolder(folder);
  for (size_t depth = 0; depth < kMaxLevels; ++depth) {
    if (!at.valid() || IsBare(at, "")) return true;
    // The project can be a work tree inside its bare repository.
    if (path == root.text()) return false;
    path = path.substr(0, path.rfind('/'));
    UniqueFd above = OpenFolder(at, "..");
    if (above.valid() && IsSameFile(at, above)) return false;
    at = std::move(above);
  }
  return true;
}

bool HasLink(const UniqueFd& folder, const char* name, size_t& left);

// Reads at most `left` names; true also if the answer is unknown.
bool HasLinkIn(const UniqueFd& folder, size_t& left) {
  const auto is_link = [&](const dirent& entry) {
    if (left == 0) return true;
    --left;
    return entry.d_type != DT_REG && HasLink(folder, entry.d_name, left);
  };
  return AnyEntry(folder, is_link).value_or(true);
}

bool HasLink(const UniqueFd& folder, const char* name, size_t& left) {
  const UniqueFd file(::openat(folder.get(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (!file.valid() || ::fstat(file.get(), &facts) != 0) return errno != ENOENT;
  if (S_ISDIR(facts.st_mode)) return HasLinkIn(file, left);
  return S_ISLNK(facts.st_mode);
}

// A path that is private to the outer sandbox is also private to the sandboxes nested in it.
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
  // After a move, "../.." in it would lead to another repository.
  if (MayBeThere(tree.folder, (tree.name + "/commondir").c_str())) return &kGitFile;
  if (FoldName(tree.name) == "worktrees" && IsBare(tree.folder, "")) return &kGitFile;
  return nullptr;
}

const GuardedName* RefusedLink(const Supervision& supervision, const Location& link,
                               std::string_view target) {
  if (!GuardsRepositories(supervision, link.path())) return nullptr;
  const std::string folder = FoldName(link.folder_path) + "/";
  const bool is_mercurials =
      folder.find("/.hg/") != std::string::npos || folder.find("/.sl/") != std::string::npos;
  const std::string name = FoldName(link.name);
  if (is_mercurials && (name == "lock" || name == "wlock")) return nullptr;
  if (target == "testing") return nullptr;
  return IsInRepository(link.folder, link.folder_path, supervision.names.root()) ? &kLink : nullptr;
}

const GuardedName* RefusedLinksOf(const Supervision& supervision, const Location& from,
                                  const Location& to, const Location& at) {
  if (!GuardsRepositories(supervision, to.path())) return nullptr;
  const auto is_of_repository = [&](const Location& place) {
    return IsControlled(place.name) ||
           IsInRepository(place.folder, place.folder_path, supervision.names.root());
  };
  // Links of a repository were evaluated when they were created.
  if (!is_of_repository(to) || is_of_repository(from)) return nullptr;
  size_t left = kMaxMoved;
  return HasLink(at.folder, at.name.c_str(), left) ? &kLink : nullptr;
}

std::string AsGitsOwn(const Location& location) {
  const std::string path = location.path();
  const std::string folded = FoldName(path);
  if (!HasCheckedName(folded) || folded.find("/.git/") != std::string::npos) return "";
  UniqueFd folder = OpenFolder(location.folder);
  // Folding can change the length of a component, so both paths are walked.
  std::string_view above = path;
  std::string_view folded_above = folded;
  for (size_t depth = 0; depth < kMaxLevels && !above.empty(); ++depth) {
    const size_t slash = above.rfind('/');
    const std::string_view name = folded_above.substr(folded_above.rfind('/') + 1);
    above = above.substr(0, slash);
    folded_above = folded_above.substr(0, folded_above.rfind('/'));
    // A directory that cannot be opened counts as a repository.
    if (Contains(kCheckedNames, name) && (!folder.valid() || IsBare(folder, ""))) {
      const std::string_view beside = above.substr(0, above.rfind('/'));
      return std::string(beside) + "/.git" + path.substr(slash);
    }
    if (folder.valid()) folder = OpenFolder(folder, "..");
  }
  return "";
}

bool HasBecomeBare(const Supervision& supervision, const Location& location) {
  if (!IsRepositoryPart(location.name)) return false;
  return GuardsRepositories(supervision, location.path()) &&
         !IsNamedByRules(FoldName(location.folder_path)) && IsBare(location.folder, "");
}

}  // namespace ringfence
