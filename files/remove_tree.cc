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

// Gives the owner access. Does not follow a link that has replaced the name.
void Open(int folder, const std::string& name) {
  ::fchmodat(folder, name.c_str(), 0700, AT_SYMLINK_NOFOLLOW);
}

// A very deep tree would need a descriptor and a stack frame for each level. So directories at
// kDeepest are moved up to `top` first. Mounts stay: the kernel neither removes nor moves a mount
// point (EBUSY).
class TreeRemover {
 public:
  explicit TreeRemover(const UniqueFd& top) : top_(top) {}

  Status Empty() {
    for (;;) {
      const Result<size_t> found = Clear(top_, 0);
      if (!found) return found.error();
      if (*found == 0) return Unit{};
    }
  }

 private:
  static constexpr int kDeepest = 16;

  // Removes what is in a directory. Returns how many names were there.
  Result<size_t> Clear(const UniqueFd& folder, int depth) {
    const Result<std::vector<std::string>> names = NamesIn(folder);
    if (!names) return names.error();
    for (const std::string& name : *names) {
      if (Status s = Remove(folder, name, depth); !s) return s.error();
    }
    return names->size();
  }

  Status Remove(const UniqueFd& folder, const std::string& name, int depth) {
    if (::unlinkat(folder.get(), name.c_str(), 0) == 0 || errno == ENOENT) return Unit{};
    if (errno != EISDIR && errno != EPERM) return SystemError("unlinkat");
    if (RemoveFolder(folder, name)) return Unit{};
    if (errno != ENOTEMPTY && errno != EEXIST && errno != EACCES) return SystemError("unlinkat");
    Open(folder.get(), name);  // moving it changes its "..", which takes write permission
    if (depth == kDeepest) return MoveUp(folder.get(), name);
    const UniqueFd inner(::openat(folder.get(), name.c_str(), kOpenDirectory));
    if (!inner.valid()) return SystemError("openat");
    if (const Result<size_t> found = Clear(inner, depth + 1); !found) return found.error();
    // What another process has just put there is removed in the next pass.
    const bool is_done = RemoveFolder(folder, name) || errno == ENOTEMPTY || errno == EEXIST;
    return CallStatus(is_done, "unlinkat");
  }

  static bool RemoveFolder(const UniqueFd& folder, const std::string& name) {
    return ::unlinkat(folder.get(), name.c_str(), AT_REMOVEDIR) == 0;
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
  const UniqueFd top(::open(folder.c_str(), kOpenDirectory));
  if (!top.valid()) return errno == ENOENT ? Status(Unit{}) : SystemError("open(" + folder + ")");
  ::fchmod(top.get(), 0700);
  if (Status s = TreeRemover(top).Empty(); !s) return s;
  return CallStatus(::rmdir(folder.c_str()) == 0, "rmdir(" + folder + ")");
}

Status RemoveTreeAt(int folder, const std::string& name) {
  if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return Unit{};
  if (errno != EISDIR && errno != EPERM) return SystemError("unlink(" + name + ")");
  Open(folder, name);
  const UniqueFd top(::openat(folder, name.c_str(), kOpenDirectory));
  if (!top.valid()) return SystemError("open(" + name + ")");
  if (Status s = TreeRemover(top).Empty(); !s) return s;
  return CallStatus(::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0, "rmdir(" + name + ")");
}

}  // namespace ringfence
