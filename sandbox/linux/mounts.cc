#include "sandbox/linux/mounts.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/syscall.h"

namespace ringfence {
namespace {

std::string Call(const char* name, const Path& path) {
  return std::string(name) + "(" + path.text() + ")";
}

}  // namespace

Result<UniqueFd> OpenPlace(const Path& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  UniqueFd fd(
      static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.text().c_str(), &how, sizeof how)));
  // Inside another sandbox the call is not there, and nothing is mounted.
  if (!fd.valid() && errno == ENOSYS) {
    fd = UniqueFd(::open(path.text().c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  }
  if (!fd.valid()) return SystemError(Call("openat2", path));
  return fd;
}

Result<UniqueFd> CloneTree(const Path& path, Writable writable) {
  const Result<UniqueFd> place = OpenPlace(path);
  if (!place) return place.error();
  UniqueFd tree(::open_tree(place->get(), "",
                            OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE));
  if (!tree.valid()) return SystemError(Call("open_tree", path));
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_NOSUID;
  if (writable == Writable::kNo) attributes.attr_set |= MOUNT_ATTR_RDONLY;
  attributes.propagation = MS_PRIVATE;
  if (::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                      sizeof attributes) != 0) {
    return SystemError(Call("mount_setattr", path));
  }
  return tree;
}

Status AttachTree(const UniqueFd& tree, const Path& path) {
  const Result<UniqueFd> place = OpenPlace(path);
  if (!place) return place.error();
  if (::move_mount(tree.get(), "", place->get(), "",
                   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
    return SystemError(Call("move_mount", path));
  }
  return Unit{};
}

Status MountMemory(const std::string& path, const char* options) {
  if (::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options) != 0) {
    return SystemError("mount(" + path + ")");
  }
  return Unit{};
}

Status MakeMountPoint(const Path& path, PlannedPlace::Kind kind) {
  if (::faccessat(AT_FDCWD, path.text().c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return Unit{};
  if (errno != ENOENT) return SystemError(Call("faccessat", path));
  if (Status s = MakeMountPoint(path.Parent(), PlannedPlace::Kind::kDirectory); !s) return s;
  const int made = kind == PlannedPlace::Kind::kDirectory
                       ? ::mkdir(path.text().c_str(), 0755)
                       : ::mknod(path.text().c_str(), S_IFREG | 0644, 0);
  if (made != 0) return SystemError(Call("mkdir", path));
  return Unit{};
}

Status SealEverything(Writable root) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_NOSUID;
  if (root == Writable::kNo) attributes.attr_set |= MOUNT_ATTR_RDONLY;
  attributes.propagation = MS_PRIVATE;
  if (::mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &attributes, sizeof attributes) != 0) {
    return SystemError("mount_setattr(/)");
  }
  return Unit{};
}

Status SealMount(const std::string& path) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (::mount_setattr(AT_FDCWD, path.c_str(), 0, &attributes, sizeof attributes) != 0) {
    return SystemError("mount_setattr(" + path + ")");
  }
  return Unit{};
}

}  // namespace ringfence
