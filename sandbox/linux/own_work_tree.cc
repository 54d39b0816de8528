#include "sandbox/linux/own_work_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/case_fold.h"
#include "base/directory.h"
#include "base/syscall.h"
#include "policy/files/git_files.h"
#include "policy/rules/entry_match.h"
#include "sandbox/linux/kernel_abi.h"

namespace ringfence {
namespace {

constexpr size_t kMaxExempted = 100'000;
constexpr int kMaxTreeDepth = 64;
constexpr timespec kTickWait{.tv_sec = 0, .tv_nsec = 500'000};
constexpr int kMaxTickWaits = 100;  // ticks are 1 to 10 ms apart
constexpr const char* kGit = ".git";
constexpr const char* kNewGitFile = ".git.ringfence-new";

// Returns the id of `name` in `folder` without following a link, or of the open file itself if
// `name` is "".
Result<FileId> IdOf(const UniqueFd& folder, const char* name) {
  FileStatus facts;
  const int flags = AT_SYMLINK_NOFOLLOW | (*name == 0 ? AT_EMPTY_PATH : 0);
  if (::syscall(SYS_statx, folder.get(), name, flags, kStatusInode | kStatusBorn, &facts) != 0) {
    return Errno(errno);
  }
  return FileId{facts.device_major, facts.device_minor, facts.inode, facts.born.seconds,
                facts.born.nanoseconds};
}

// --- sets of files, as sorted vectors ---

void Remember(std::vector<FileId>& sorted, const Result<FileId>& id) {
  if (!id) return;
  const auto at = std::ranges::lower_bound(sorted, *id);
  if (at == sorted.end() || *at != *id) sorted.insert(at, *id);
}

bool IsIn(const std::vector<FileId>& sorted, const Result<FileId>& id) {
  return id && std::ranges::binary_search(sorted, *id);
}

// Opens the directory that `text`, the content of the ".git" file in `tree`, refers to
// (gitrepository-layout(5)).
UniqueFd RepositoryOf(const UniqueFd& tree, const std::string& text) {
  constexpr std::string_view kKey = "gitdir: ";
  if (!text.starts_with(kKey) || text.size() > kMaxGitFile) return {};
  const std::string name = text.substr(kKey.size(), text.find('\n') - kKey.size());
  return OpenFolderByPath(tree, name);
}

// Replaces the ".git" file with a copy that no caller has open.
bool ReplaceGitFile(const UniqueFd& tree, const std::string& text) {
  ::unlinkat(tree.get(), kNewGitFile, 0);
  const UniqueFd copy(::openat(tree.get(), kNewGitFile,
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  const bool is_done = copy.valid() && WriteAll(copy.get(), text) &&
                       ::renameat(tree.get(), kNewGitFile, tree.get(), kGit) == 0;
  if (!is_done) ::unlinkat(tree.get(), kNewGitFile, 0);
  return is_done;
}

bool IsOwnGitFileOf(Supervision& supervision, const UniqueFd& tree) {
  if (IsIn(supervision.fixed_git_files, IdOf(tree, kGit))) return true;
  const UniqueFd file(
      ::openat(tree.get(), kGit, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat facts {};
  if (!file.valid() || ::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return false;
  const Result<std::string> text = ReadAll(file.get(), kMaxGitFile, kGit);
  if (!text) return false;
  const UniqueFd repository = RepositoryOf(tree, *text);
  if (!repository.valid() || !IsOwnRepository(supervision, repository)) return false;
  if (!ReplaceGitFile(tree, *text)) return false;
  Remember(supervision.own_repositories, IdOf(tree, kGit));
  Remember(supervision.fixed_git_files, IdOf(tree, kGit));
  return true;
}

bool IsOwnWorkTree(Supervision& supervision, const UniqueFd& tree, const struct stat& git) {
  if (!IsIn(supervision.own_repositories, IdOf(tree, kGit))) return false;
  return S_ISDIR(git.st_mode) || IsOwnGitFileOf(supervision, tree);
}

bool Exists(const std::string& path) {
  return ::faccessat(AT_FDCWD, path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

// True if the directory is empty or contains only `name`.
bool HoldsOnly(const UniqueFd& folder, std::string_view name) {
  const auto is_other = [name](const dirent& entry) { return entry.d_name != name; };
  return !AnyEntry(folder, is_other).value_or(true);
}

UniqueFd OpenLocated(const Location& location) {
  return UniqueFd(::openat(location.folder.get(), location.name.c_str(),
                           O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool IsOwnRepositoryName(const Supervision& supervision, const UniqueFd& folder, const char* name) {
  const std::vector<FileId>& own = supervision.own_repositories;
  return !own.empty() && IsIn(own, IdOf(folder, name));
}

}  // namespace

bool IsInOwnWorkTree(Supervision& supervision, const Location& location, size_t levels) {
  if (supervision.own_repositories.empty()) return false;
  UniqueFd at = OpenFolder(location.folder);
  for (int depth = 0; depth < kMaxTreeDepth && at.valid(); ++depth) {
    const Result<FileId> id = IdOf(at, "");
    const bool is_new = id && std::pair(id->born, id->born_nanoseconds) > supervision.began;
    if (!is_new) return false;
    struct stat git {};
    if (levels > 0) {
      --levels;
    } else if (::fstatat(at.get(), kGit, &git, AT_SYMLINK_NOFOLLOW) == 0) {
      return IsOwnWorkTree(supervision, at, git);
    }
    at = OpenFolder(at, "..");
  }
  return false;
}

void AwaitTick(Supervision& supervision) {
  // If the clock was set back during the run, the directory counts as old.
  for (int tries = 0; tries < kMaxTickWaits && !supervision.ticked; ++tries) {
    timespec tick{};
    ::clock_gettime(CLOCK_REALTIME_COARSE, &tick);
    supervision.ticked =
        std::pair<int64_t, uint32_t>(tick.tv_sec, tick.tv_nsec) > supervision.began;
    if (!supervision.ticked) ::nanosleep(&kTickWait, nullptr);
  }
  supervision.ticked = true;
}

bool NoteExempted(Supervision& supervision, std::string path) {
  std::vector<std::string>& all = supervision.exempted;
  const auto at = std::ranges::lower_bound(all, path);
  if (at != all.end() && *at == path) return true;
  if (all.size() >= kMaxExempted) return false;
  all.insert(at, std::move(path));
  return true;
}

void MoveExempted(Supervision& supervision, const std::string& from, const std::string& to) {
  std::vector<std::string> moved;
  for (const std::string& path : supervision.exempted) {
    if (Covers(from, path)) moved.push_back(to + path.substr(from.size()));
  }
  // Keeps the old names, since a rename can also be an exchange.
  for (std::string& path : moved) NoteExempted(supervision, std::move(path));
}

bool HoldsExempted(const Supervision& supervision, const Location& location) {
  if (supervision.exempted.empty() || !FoldsTo(location.name, kGit)) return false;
  if (!IsIn(supervision.own_repositories, IdOf(location.folder, location.name.c_str())))
    return false;
  return std::ranges::any_of(supervision.exempted, [&](const std::string& path) {
    return Covers(location.folder_path, path) && Exists(path);
  });
}

int KeepGit(Supervision& supervision, const Location& location) {
  const UniqueFd folder = OpenLocated(location);
  if (folder.valid() && !HoldsOnly(folder, "")) return ENOTEMPTY;
  Remember(supervision.kept_gits, IdOf(location.folder, location.name.c_str()));
  return 0;
}

void RemoveKeptGit(const Supervision& supervision, const Location& location) {
  if (supervision.kept_gits.empty()) return;
  const UniqueFd folder = OpenLocated(location);
  if (!folder.valid() || !IsIn(supervision.kept_gits, IdOf(folder, kGit))) return;
  if (!HoldsOnly(folder, kGit)) return;
  if (::unlinkat(folder.get(), kGit, 0) != 0) ::unlinkat(folder.get(), kGit, AT_REMOVEDIR);
}

bool IsGitFile(const Location& location) {
  if (FoldName(location.name) != ".git") return false;
  struct stat facts {};
  const int found =
      ::fstatat(location.folder.get(), location.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW);
  // Any other error counts as a file: the caller can revoke search permission for a moment.
  return found == 0 ? !S_ISDIR(facts.st_mode) : errno != ENOENT;
}

bool IsOwnRepository(const Supervision& supervision, const UniqueFd& folder) {
  return IsOwnRepositoryName(supervision, folder, "");
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
  Remember(supervision.own_repositories, IdOf(location.folder, location.name.c_str()));
}

bool IsOwnGitFile(const Supervision& supervision, const Location& location) {
  return IsOwnRepositoryName(supervision, location.folder, location.name.c_str());
}

}  // namespace ringfence
