#include "sandbox/linux/new_repository.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/case_fold.h"

namespace ringfence {
namespace {

bool IsOwnRepositoryName(const Supervision& supervision, const UniqueFd& folder, const char* name) {
  const std::vector<FileId>& own = supervision.own_repositories;
  return !own.empty() && IsIn(own, IdOf(folder, name));
}

}  // namespace

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
