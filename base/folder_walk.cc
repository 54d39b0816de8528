#include "base/folder_walk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "base/syscall.h"
#include "base/text.h"

namespace ringfence {
namespace {

// More that are missing look like a disk that is not mounted.
constexpr int kMostMade = 3;
constexpr mode_t kMode = 0755;  // any program may read what is in it

#ifdef O_PATH
constexpr int kSearch = O_PATH;  // needs no right to read the folder
#else
constexpr int kSearch = O_RDONLY;
#endif

UniqueFd OpenFolder(int parent, const std::string& name, int access) {
  return UniqueFd(
      ::openat(parent, name.c_str(), access | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
}

bool IsLink(int parent, const std::string& name) {
  struct stat facts {};
  return ::fstatat(parent, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(facts.st_mode);
}

class FolderWalk {
 public:
  FolderWalk(const Path& folder, bool makes) : folder_(folder), makes_(makes) {}

  Result<UniqueFd> Run() {
    UniqueFd here(::open("/", kSearch | O_DIRECTORY | O_CLOEXEC));
    if (!here.valid()) return SystemError("open(/)");
    std::string_view left = folder_.text();
    while (true) {
      const std::string name(TakeComponent(left));
      if (name.empty()) return here;
      Result<UniqueFd> next = Enter(here.get(), name, left);
      if (!next) return next.error();
      if (!next->valid()) return here;
      here = std::move(*next);
    }
  }

 private:
  // `left`: what is below it. No descriptor where it is missing and is not to be made.
  Result<UniqueFd> Enter(int parent, const std::string& name, std::string_view left) {
    UniqueFd folder = OpenFolder(parent, name, kSearch);
    if (folder.valid()) return folder;
    if (errno != ENOENT) return Failed(parent, name, errno);
    if (1 + CountOf(left) > kMostMade) return SystemError(Call(name), ENOENT);
    if (!makes_) return UniqueFd();
    const bool is_made = ::mkdirat(parent, name.c_str(), kMode) == 0;
    if (!is_made && errno != EEXIST) {
      return SystemError("mkdir(" + Quote(name) + " of " + Quote(folder_.text()) + ")");
    }
    // By its descriptor: the mode is given to what was opened, whoever has replaced it meanwhile. A
    // folder that somebody else made first keeps its own.
    folder = OpenFolder(parent, name, is_made ? O_RDONLY : kSearch);
    if (!folder.valid()) return Failed(parent, name, errno);
    if (is_made && ::fchmod(folder.get(), kMode) != 0)
      return SystemError("fchmod(" + Quote(name) + ")");
    return folder;
  }

  static int CountOf(std::string_view left) {
    int count = 0;
    while (!TakeComponent(left).empty()) ++count;
    return count;
  }

  std::string Call(const std::string& name) const {
    return "open(" + Quote(name) + " of " + Quote(folder_.text()) + ")";
  }

  Error Failed(int parent, const std::string& name, int code) const {
    if (code != ELOOP && code != ENOTDIR && code != EMLINK) return SystemError(Call(name), code);
    if (!IsLink(parent, name)) return SystemError(Call(name), code);
    return Error{Error::Kind::kSystem, Quote(folder_.text()),
                 "its component " + Quote(name) + " is a link, and links are not followed",
                 "name the directory that it is in"};
  }

  const Path& folder_;
  bool makes_;
};

}  // namespace

Result<UniqueFd> OpenPlainFolder(const Path& folder) { return FolderWalk(folder, true).Run(); }
Result<UniqueFd> OpenNearestPlainFolder(const Path& folder) {
  return FolderWalk(folder, false).Run();
}

}  // namespace ringfence
