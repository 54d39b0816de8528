#include "sandbox/linux/git_names.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/case_fold.h"
#include "sandbox/linux/kernel_abi.h"

namespace ringfence {
namespace {

// git takes a folder with these three for a repository, and runs what its configuration and hooks
// say (gitrepository-layout(5)).
constexpr std::array<std::string_view, 3> kParts = {"head", "objects", "refs"};
constexpr std::array<std::string_view, 4> kOwn = {"head", "config", "config.worktree", "hooks"};

const GuardedName kBare{.why = "a new or a bare repository"};
const GuardedName kGitFile{.why = "it leads to a work tree's repository"};

bool Exists(const UniqueFd& folder, const char* name) {
  return ::faccessat(folder.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

// All parts are there, or are when `made` is there as well.
bool IsBare(const UniqueFd& folder, std::string_view made) {
  return std::ranges::all_of(kParts, [&](std::string_view part) {
    return part == made || Exists(folder, part == "head" ? "HEAD" : std::string(part).c_str());
  });
}

bool MakesBareRepository(const Location& location) {
  const std::string name = FoldName(location.name);
  const bool is_own = std::ranges::find(kOwn, name) != kOwn.end();
  if (!is_own && std::ranges::find(kParts, name) == kParts.end()) return false;
  if (FoldName(location.folder_path + "/").find("/.git/") != std::string::npos) return false;
  return (is_own || !Exists(location.folder, location.name.c_str())) &&
         IsBare(location.folder, name);
}

// A hook, or what lies deeper.
bool IsHookOfBareRepository(const Location& location) {
  std::string path = FoldName(location.folder_path);
  if ((path + "/").find("/hooks/") == std::string::npos) return false;
  if ((path + "/").find("/.git/") != std::string::npos) return false;
  UniqueFd folder(::openat(location.folder.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (folder.valid() && !path.empty()) {
    const bool is_hooks = path.ends_with("/hooks");
    path.resize(path.rfind('/'));
    folder = UniqueFd(::openat(folder.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (is_hooks && folder.valid() && IsBare(folder, "")) return true;
  }
  return !folder.valid();
}

Got<FileId> IdOf(const UniqueFd& folder, const char* name) {
  FileStatus facts;
  const int flags = AT_SYMLINK_NOFOLLOW | (*name == 0 ? AT_EMPTY_PATH : 0);
  if (::syscall(SYS_statx, folder.get(), name, flags, kStatusInode | kStatusBorn, &facts) != 0) {
    return {{}, errno};
  }
  return {{facts.device_major, facts.device_minor, facts.inode, facts.born.seconds,
           facts.born.nanoseconds},
          0};
}

bool IsOwn(const Supervision& supervision, const UniqueFd& folder, const char* name) {
  if (supervision.own_repositories.empty()) return false;
  const Got<FileId> id = IdOf(folder, name);
  return id.ok() && std::ranges::binary_search(supervision.own_repositories, id.value);
}

bool IsGitFile(const Location& location) {
  if (FoldName(location.name) != ".git") return false;
  struct stat facts {};
  return ::fstatat(location.folder.get(), location.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) ==
             0 &&
         !S_ISDIR(facts.st_mode);
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
  if (IsGitFile(location) && !IsOwn(supervision, location.folder, location.name.c_str())) {
    return &kGitFile;
  }
  if (MakesBareRepository(location) || IsHookOfBareRepository(location)) return &kBare;
  return nullptr;
}

bool IsOwnRepository(const Supervision& supervision, const UniqueFd& folder) {
  return IsOwn(supervision, folder, "");
}

void NoteGitFile(Supervision& supervision, const Location& location) {
  if (IsGitFile(location)) NoteRepository(supervision, location);
}

void NoteRepository(Supervision& supervision, const Location& location) {
  const std::string name = FoldName(location.name);
  const std::string folder = FoldName(location.folder_path);
  const bool is_gits = name == ".git" || folder.ends_with("/.git/worktrees") ||
                       IsOwnRepository(supervision, location.folder);
  if (!is_gits) return;
  const Got<FileId> id = IdOf(location.folder, location.name.c_str());
  if (!id.ok()) return;
  std::vector<FileId>& own = supervision.own_repositories;
  const auto at = std::ranges::lower_bound(own, id.value);
  if (at == own.end() || *at != id.value) own.insert(at, id.value);
}

}  // namespace ringfence
