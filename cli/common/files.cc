#include "cli/common/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/path.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

std::string FolderOf(const std::string& path) { return Path::Clean(path).Parent().text(); }

// The target is not created, because it may be on a disk that is not mounted.
Error Dangling(const std::string& link, const std::string& hint) {
  std::error_code failed;
  const std::filesystem::path named = std::filesystem::read_symlink(link, failed);
  const std::string target =
      failed ? "" : Path::Clean((std::filesystem::path(FolderOf(link)) / named).string()).text();
  return ConfigError(
      link, "is a dangling symbolic link" + (target.empty() ? "" : " to " + Quote(target)), hint);
}

bool IsDangling(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode) &&
         ::stat(path.c_str(), &facts) != 0;
}

}  // namespace

std::vector<std::string> MissingFolders(const std::string& path) {
  std::vector<std::string> folders;
  struct stat status {};
  for (std::string folder = FolderOf(path); ::stat(folder.c_str(), &status) != 0;
       folder = FolderOf(folder)) {
    if (errno != ENOENT) break;
    folders.insert(folders.begin(), folder);
  }
  return folders;
}

Result<std::string> FollowedPath(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return path;
    return SystemError("lstat(" + path + ")");
  }
  if (!S_ISLNK(status.st_mode)) return path;
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (real == nullptr) {
    return Dangling(path, "restore its target, or remove the link");
  }
  return std::string(real.get());
}

bool LeadToOneFile(const std::string& one, const std::string& other) {
  if (one == other) return true;
  std::error_code failed;
  const std::filesystem::path first = std::filesystem::weakly_canonical(one, failed);
  if (failed) return false;
  return first == std::filesystem::weakly_canonical(other, failed) && !failed;
}

Status RefuseDanglingLinks(const std::string& path) {
  if (IsDangling(path)) return Dangling(path, "restore its target, or remove the link");
  for (const std::string& folder : MissingFolders(path)) {
    if (IsDangling(folder)) return Dangling(folder, "create that directory, or remove the link");
  }
  return Unit{};
}

}  // namespace ringfence
