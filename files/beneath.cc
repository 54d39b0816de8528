#include "files/beneath.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace ringfence {

bool LeavesFolder(std::string_view path) {
  if (path.starts_with('/')) return true;
  for (;;) {
    const size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    if (slash == path.npos) return false;
    path.remove_prefix(slash + 1);
  }
}

bool IsMissing(const Error& error) {
  constexpr std::array kCodes = {ENOENT, ENOTDIR, ELOOP, ENXIO};
  return std::ranges::find(kCodes, error.code) != kCodes.end();
}

std::string_view FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

std::string_view NameOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::string PathIn(std::string_view folder, std::string_view name) {
  std::string path(folder);
  if (!path.empty()) path += '/';
  return path.append(name);
}

bool IsIn(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

Result<UniqueFd> OpenFolderOf(const UniqueFd& folder, const std::string& path) {
  const std::string_view parent = FolderOf(path);
  return OpenBeneath(folder, parent.empty() ? "." : std::string(parent),
                     O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

}  // namespace ringfence
