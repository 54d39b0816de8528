#include "sandbox/linux/new_repository.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/case_fold.h"
#include "base/syscall.h"
#include "sandbox/git_config.h"
#include "sandbox/linux/kernel_abi.h"
#include "sandbox/linux/supervised_calls.h"

namespace ringfence {
namespace {

constexpr std::array<std::string_view, 3> kWholeFiles = {"config", "config.worktree", "commondir"};
constexpr std::string_view kCommonDir = "../..\n";

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

void Remember(std::vector<FileId>& sorted, const Got<FileId>& id) {
  const auto at = std::ranges::lower_bound(sorted, id.value);
  if (id.ok() && (at == sorted.end() || *at != id.value)) sorted.insert(at, id.value);
}

bool IsIn(const std::vector<FileId>& sorted, const Got<FileId>& id) {
  return id.ok() && std::ranges::binary_search(sorted, id.value);
}

bool IsOwn(const Supervision& supervision, const UniqueFd& folder, const char* name) {
  const std::vector<FileId>& own = supervision.own_repositories;
  return !own.empty() && IsIn(own, IdOf(folder, name));
}

}  // namespace

bool IsGitFile(const Location& location) {
  if (FoldName(location.name) != ".git") return false;
  struct stat facts {};
  const int found =
      ::fstatat(location.folder.get(), location.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW);
  // A caller can take away the right to look for a moment.
  return found == 0 ? !S_ISDIR(facts.st_mode) : errno != ENOENT;
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
  Remember(supervision.own_repositories, IdOf(location.folder, location.name.c_str()));
  if (name == ".git") Remember(supervision.own_work_trees, IdOf(location.folder, ""));
}

bool IsInRemains(const Supervision& supervision, const UniqueFd& folder) {
  constexpr int kMaxDepth = 64;
  if (supervision.own_work_trees.empty()) return false;
  UniqueFd at(::openat(folder.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (int depth = 0; depth < kMaxDepth && at.valid(); ++depth) {
    const Got<FileId> id = IdOf(at, "");
    const bool is_new =
        id.ok() && std::pair(id.value.born, id.value.born_nanoseconds) >= supervision.began;
    if (!is_new) return false;
    if (IsIn(supervision.own_work_trees, id)) return true;
    at = UniqueFd(::openat(at.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  return false;
}

bool IsInOwnWorkTree(const Supervision& supervision, const UniqueFd& folder) {
  constexpr int kMaxDepth = 64;
  if (supervision.own_repositories.empty()) return false;
  UniqueFd at(::openat(folder.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (int depth = 0; depth < kMaxDepth && at.valid(); ++depth) {
    const Got<FileId> id = IdOf(at, "");
    const bool is_new =
        id.ok() && std::pair(id.value.born, id.value.born_nanoseconds) >= supervision.began;
    if (!is_new) return false;
    if (::faccessat(at.get(), ".git", F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
      return IsOwn(supervision, at, ".git");
    }
    at = UniqueFd(::openat(at.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  return false;
}

bool IsOwnGitFile(const Supervision& supervision, const Location& location) {
  return IsOwn(supervision, location.folder, location.name.c_str());
}

bool ComesWhole(std::string_view name) {
  return std::ranges::find(kWholeFiles, FoldName(name)) != kWholeFiles.end();
}

namespace {

// The text of a plain file that may be read.
Got<std::string> TextOf(const Location& file, mode_t& mode) {
  const UniqueFd fd(::openat(file.folder.get(), file.name.c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) return {{}, errno};
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return {{}, errno};
  if (!S_ISREG(facts.st_mode)) return {{}, EACCES};
  mode = facts.st_mode & 0777;
  Result<std::string> text = ReadAll(fd.get(), kMaxGitConfig, file.name);
  if (!text) return {{}, EFBIG};
  return {std::move(*text), 0};
}

int WriteNew(const Location& at, std::string_view name, std::string_view text, mode_t mode) {
  const std::string path(name);
  const UniqueFd fd(::openat(at.folder.get(), path.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return errno;
  const bool is_written = WriteAll(fd.get(), text) && ::fchmod(fd.get(), mode) == 0;
  const int code = is_written ? 0 : EIO;
  if (!is_written) ::unlinkat(at.folder.get(), path.c_str(), 0);
  return code;
}

}  // namespace

int SaveConfig(Supervision& supervision, const Location& from, const Location& to, bool replaces) {
  if (FoldName(to.name) == "commondir") return EACCES;  // nobody moves one there
  mode_t mode = 0;
  const Got<std::string> text = TextOf(from, mode);
  if (!text.ok()) return text.code;
  if (const std::optional<std::string> why = WhyNoGitConfig(text.value, to.path())) {
    ReportWhy(supervision, to.path(), "the config of a new repository: " + *why);
    return EACCES;
  }
  const std::string unsaved(kUnsavedConfig);
  ::unlinkat(to.folder.get(), unsaved.c_str(), 0);  // of a run that was ended in between
  if (const int code = WriteNew(to, kUnsavedConfig, text.value, mode)) return code;
  constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE (linux/fs.h)
  const long moved = ::syscall(SYS_renameat2, to.folder.get(), unsaved.c_str(), to.folder.get(),
                               to.name.c_str(), replaces ? 0 : kNoReplace);
  const int code = moved == 0 ? 0 : errno;
  ::unlinkat(code == 0 ? from.folder.get() : to.folder.get(),
             code == 0 ? from.name.c_str() : unsaved.c_str(), 0);
  return code;
}

bool IsCommonDir(const Location& location) {
  if (FoldName(location.name) != "commondir") return false;
  const std::string folder = FoldName(location.folder_path);
  const size_t slash = folder.rfind('/');
  return slash != std::string::npos &&
         std::string_view(folder).substr(0, slash).ends_with("/.git/worktrees");
}

int MakeCommonDir(const Location& location) {
  return WriteNew(location, location.name, kCommonDir, 0644);
}

}  // namespace ringfence
