#include "files/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/directory.h"
#include "base/syscall.h"

namespace ringfence {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Gives the owner access. Does not follow a link that has replaced the name.
void Open(int folder, const std::string& name) {
  ::fchmodat(folder, name.c_str(), 0700, AT_SYMLINK_NOFOLLOW);
}

// A deep tree would need a descriptor or a stack frame for each level, or a path that is too long.
// So every directory inside a directory of `top` is first moved up to `top`. Mounts stay: the
// kernel neither removes nor moves a mount point (EBUSY).
class TreeRemover {
 public:
  explicit TreeRemover(const UniqueFd& top) : top_(top) {}

  Status Empty() {
    for (;;) {
      Result<std::vector<std::string>> names = NamesIn(top_);
      if (!names) return names.error();
      if (names->empty()) return Unit{};
      for (const std::string& name : *names) {
        if (Status s = Remove(name); !s) return s;
      }
    }
  }

 private:
  Status Remove(const std::string& name) {
    if (::unlinkat(top_.get(), name.c_str(), 0) == 0 || errno == ENOENT) return Unit{};
    if (errno != EISDIR && errno != EPERM) return SystemError("unlinkat");
    if (::unlinkat(top_.get(), name.c_str(), AT_REMOVEDIR) == 0) return Unit{};
    if (errno != ENOTEMPTY && errno != EEXIST && errno != EACCES) return SystemError("unlinkat");
    return Flatten(name);
  }

  // Empties the directory `name`, but does not remove it.
  Status Flatten(const std::string& name) {
    Open(top_.get(), name);
    const UniqueFd folder(::openat(top_.get(), name.c_str(), kFolder));
    if (!folder.valid()) return SystemError("openat");
    Result<std::vector<std::string>> names = NamesIn(folder);
    if (!names) return names.error();
    for (const std::string& inner : *names) {
      if (::unlinkat(folder.get(), inner.c_str(), 0) == 0 || errno == ENOENT) continue;
      Open(folder.get(), inner);  // moving it changes its "..", which takes write permission
      if (Status s = MoveUp(folder.get(), inner); !s) return s;
    }
    return Unit{};
  }

  Status MoveUp(int folder, const std::string& name) {
    for (;;) {
      const std::string free = "." + std::to_string(++moved_);
      if (::renameat(folder, name.c_str(), top_.get(), free.c_str()) == 0) return Unit{};
      if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) return SystemError("renameat");
    }
  }

  const UniqueFd& top_;
  uint64_t moved_ = 0;
};

}  // namespace

Result<std::vector<std::string>> NamesIn(const UniqueFd& folder) {
  std::vector<std::string> names;
  const auto add = [&names](const dirent& entry) {
    names.emplace_back(static_cast<const char*>(entry.d_name));
    return false;
  };
  if (!AnyEntry(folder, add)) return SystemError("readdir");
  return names;
}

Status RemoveTree(const std::string& folder) {
  const UniqueFd top(::open(folder.c_str(), kFolder));
  if (!top.valid()) return errno == ENOENT ? Status(Unit{}) : SystemError("open(" + folder + ")");
  ::fchmod(top.get(), 0700);
  if (Status s = TreeRemover(top).Empty(); !s) return s;
  return CallStatus(::rmdir(folder.c_str()) == 0, "rmdir(" + folder + ")");
}

Status RemoveTreeAt(int folder, const std::string& name) {
  if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return Unit{};
  if (errno != EISDIR && errno != EPERM) return SystemError("unlink(" + name + ")");
  Open(folder, name);
  const UniqueFd top(::openat(folder, name.c_str(), kFolder));
  if (!top.valid()) return SystemError("open(" + name + ")");
  if (Status s = TreeRemover(top).Empty(); !s) return s;
  return CallStatus(::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0, "rmdir(" + name + ")");
}

}  // namespace ringfence
