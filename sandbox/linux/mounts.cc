#include "sandbox/linux/mounts.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/syscall.h"
#include "sandbox/linux/kernel_abi.h"

namespace ringfence {
namespace {

std::string CallText(const char* name, const Path& path) {
  return std::string(name) + "(" + path.text() + ")";
}

long SetAttributes(int folder, const char* path, unsigned flags,
                   const MountAttributes& attributes) {
  return ::syscall(SYS_mount_setattr, folder, path, flags, &attributes, sizeof attributes);
}

// Opens `path` name by name. Returns an invalid descriptor, with errno set, on an error or if a
// name is a link (ELOOP).
UniqueFd OpenByNames(const Path& path) {
  UniqueFd folder(::open("/", O_PATH | O_CLOEXEC));
  std::string_view rest = path.text();
  for (std::string_view name = TakeComponent(rest); !name.empty(); name = TakeComponent(rest)) {
    folder = UniqueFd(
        ::openat(folder.get(), std::string(name).c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.valid()) return {};
    struct stat facts {};
    if (::fstat(folder.get(), &facts) != 0) return {};
    if (S_ISLNK(facts.st_mode)) {
      errno = ELOOP;
      return {};
    }
  }
  return folder;
}

Result<UniqueFd> CloneAt(const UniqueFd& place, const Path& path, Writable writable) {
  UniqueFd tree = OpenTree(place.get(), "", AT_EMPTY_PATH | kTreeRecursive);
  if (!tree.valid()) return SystemError(CallText("open_tree", path));
  MountAttributes attributes;
  attributes.set = kMountNoSetUser;
  if (writable == Writable::kNo) attributes.set |= kMountReadOnly;
  attributes.propagation = MS_PRIVATE;
  if (SetAttributes(tree.get(), "", AT_EMPTY_PATH | kTreeRecursive, attributes) != 0) {
    return SystemError(CallText("mount_setattr", path), errno, Error::About::kMountSetattr);
  }
  return tree;
}

Status AttachAt(const UniqueFd& tree, const UniqueFd& place, const Path& path) {
  return CallStatus(
      ::syscall(SYS_move_mount, tree.get(), "", place.get(), "", kMoveByDescriptors) == 0,
      CallText("move_mount", path));
}

}  // namespace

UniqueFd OpenAs(int folder, const std::string& path, const open_how& how) {
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how)));
}

UniqueFd OpenTree(int folder, const char* path, unsigned flags) {
  const unsigned all = flags | kTreeClone | static_cast<unsigned>(O_CLOEXEC);
  return UniqueFd(static_cast<int>(::syscall(SYS_open_tree, folder, path, all)));
}

Result<UniqueFd> OpenPlace(const Path& path) {
  UniqueFd fd = OpenAs(AT_FDCWD, path.text(),
                       {.flags = O_PATH | O_CLOEXEC, .mode = 0, .resolve = RESOLVE_NO_SYMLINKS});
  // Inside another sandbox the call does not exist, and nothing is mounted.
  if (!fd.valid() && errno == ENOSYS) fd = OpenByNames(path);
  if (!fd.valid()) return SystemError(CallText("openat2", path));
  return fd;
}

UniqueFd OpenInMount(const UniqueFd& folder, const std::string& name) {
  return OpenAs(folder.get(), name,
                {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .mode = 0, .resolve = RESOLVE_NO_XDEV});
}

Result<UniqueFd> CloneTree(const Path& path, Writable writable) {
  const Result<UniqueFd> place = OpenPlace(path);
  return place ? CloneAt(*place, path, writable) : place.error();
}

Result<UniqueFd> CloneAsItIs(const std::string& path) {
  UniqueFd tree = OpenTree(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW);
  if (!tree.valid()) return SystemError("open_tree(" + path + ")");
  return tree;
}

Status AttachTree(const UniqueFd& tree, const Path& path) {
  const Result<UniqueFd> place = OpenPlace(path);
  return place ? AttachAt(tree, *place, path) : place.error();
}

Status AttachToOwn(const UniqueFd& tree, const std::string& path) {
  return CallStatus(
      ::syscall(SYS_move_mount, tree.get(), "", AT_FDCWD, path.c_str(), kMoveDescriptor) == 0,
      "move_mount(" + path + ")");
}

Status SealPlace(const Path& path) {
  const Result<UniqueFd> place = OpenPlace(path);
  if (!place) return place.error();
  const Result<UniqueFd> tree = CloneAt(*place, path, Writable::kNo);
  return tree ? AttachAt(*tree, *place, path) : tree.error();
}

Status MountMemory(const std::string& path, const std::string& options) {
  return CallStatus(
      ::mount("tmpfs", path.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0,
      "mount(" + path + ")");
}

Status MakeMountPoint(const Path& path, PlannedPlace::Kind kind) {
  const auto make = [&] {
    const bool is_directory = kind == PlannedPlace::Kind::kDirectory;
    return is_directory ? ::mkdir(path.text().c_str(), 0755)
                        : ::mknod(path.text().c_str(), S_IFREG | 0644, 0);
  };
  if (make() == 0 || errno == EEXIST) return Unit{};
  if (errno != ENOENT || path.is_root()) return SystemError(CallText("mkdir", path));
  if (Status s = MakeMountPoint(path.Parent(), PlannedPlace::Kind::kDirectory); !s) return s;
  return CallStatus(make() == 0, CallText("mkdir", path));
}

Status SealEverything(Writable root) {
  MountAttributes attributes;
  attributes.set = kMountNoSetUser;
  if (root == Writable::kNo) attributes.set |= kMountReadOnly;
  attributes.propagation = MS_PRIVATE;
  return CallStatus(SetAttributes(AT_FDCWD, "/", kTreeRecursive, attributes) == 0,
                    "mount_setattr(/)", Error::About::kMountSetattr);
}

Status SealMount(const std::string& path) {
  MountAttributes attributes;
  attributes.set = kMountReadOnly;
  return CallStatus(SetAttributes(AT_FDCWD, path.c_str(), 0, attributes) == 0,
                    "mount_setattr(" + path + ")", Error::About::kMountSetattr);
}

}  // namespace ringfence
