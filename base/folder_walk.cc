#include "base/folder_walk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "base/open_path.h"
#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

constexpr mode_t kMode = 0755;  // any program may read the contents

UniqueFd OpenFolder(int parent, const std::string& name, int access) {
  return UniqueFd(
      ::openat(parent, name.c_str(), access | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

bool IsLink(int parent, const std::string& name) {
  struct stat facts {};
  return ::fstatat(parent, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(facts.st_mode);
}

std::string Call(const char* call, const std::string& name, const Path& folder) {
  return call + ("(" + Quote(name)) + " of " + Quote(folder.text()) + ")";
}

Error NotOpened(int parent, const std::string& name, const Path& folder) {
  const int code = errno;
  Error error = SystemError(Call("open", name, folder), code);
  if (code != ELOOP && code != ENOTDIR && code != EMLINK) return error;
  if (!IsLink(parent, name)) return error;
  return Error{Error::Kind::kSystem, Quote(folder.text()),
               "its component " + Quote(name) + " is a link, and links are not followed",
               "name the directory that it is in"};
}

Result<UniqueFd> Make(int parent, const std::string& name, const Path& whole) {
  const bool is_made = ::mkdirat(parent, name.c_str(), kMode) == 0;
  if (!is_made && errno != EEXIST) return SystemError(Call("mkdir", name, whole));
  // Sets the mode through the descriptor: it applies to the directory that was opened, even if the
  // name has been replaced since. A directory that another process created first keeps its mode.
  UniqueFd folder = OpenFolder(parent, name, is_made ? O_RDONLY : kOpenPath);
  if (!folder.valid()) return NotOpened(parent, name, whole);
  if (is_made && ::fchmod(folder.get(), kMode) != 0)
    return SystemError("fchmod(" + Quote(name) + ")");
  return folder;
}

}  // namespace

Result<NearestFolder> OpenNearestPlainFolder(const Path& folder, size_t most_missing) {
  NearestFolder nearest{UniqueFd(::open("/", kOpenPath | O_DIRECTORY | O_CLOEXEC)), {}};
  if (!nearest.fd.valid()) return SystemError("open(/)");
  std::string_view left = folder.text();
  for (std::string name(TakeComponent(left)); !name.empty(); name = TakeComponent(left)) {
    if (nearest.missing.empty()) {
      UniqueFd next = OpenFolder(nearest.fd.get(), name, kOpenPath);
      if (next.valid()) {
        nearest.fd = std::move(next);
        continue;
      }
      if (errno != ENOENT) return NotOpened(nearest.fd.get(), name, folder);
    }
    nearest.missing.push_back(name);
  }
  if (nearest.missing.size() <= most_missing) return nearest;
  return SystemError(Call("open", nearest.missing.front(), folder), ENOENT);
}

Result<UniqueFd> OpenPlainFolder(const Path& folder) {
  Result<NearestFolder> nearest = OpenNearestPlainFolder(folder);
  if (!nearest) return nearest.error();
  UniqueFd here = std::move(nearest->fd);
  for (const std::string& name : nearest->missing) {
    if (Status s = Make(here.get(), name, folder).MoveTo(here); !s) return s.error();
  }
  return here;
}

}  // namespace ringfence
