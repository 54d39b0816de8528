#include "files/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/syscall.h"

namespace ringfence {

Result<UniqueFd> OpenBeneath(const UniqueFd& folder, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  UniqueFd opened(
      static_cast<int>(::syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how)));
  if (!opened.valid()) return SystemError("open(" + path + ")");
  return opened;
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

Result<UniqueFd> OpenFolderOf(const UniqueFd& folder, const std::string& path) {
  const std::string_view parent = FolderOf(path);
  return OpenBeneath(folder, parent.empty() ? "." : std::string(parent),
                     O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

}  // namespace ringfence
