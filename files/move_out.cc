#include "files/move_out.h"

#include <stdio.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>

#include "base/syscall.h"
#include "files/entry.h"
#include "files/new_tree.h"
#include "files/remove_tree.h"
#include "files/system_calls.h"

namespace ringfence {
namespace {

// Copies under another name first: what has the name is complete.
Status CopyAsAWhole(const NameIn& from, const NameIn& to) {
  const std::string part = to.name + ".part";
  if (Status s = RemoveTreeAt(to.folder.get(), part); !s) return s;
  if (Status s = CopyOut(from, {to.folder, part}); !s) return s;
  if (Status s = SyncFileSystem(to.folder.get()); !s) return s;
  if (::renameat(to.folder.get(), part.c_str(), to.folder.get(), to.name.c_str()) != 0) {
    return SystemError("rename(" + to.name + ")");
  }
  return SyncFile(to.folder.get());
}

}  // namespace

bool IsElsewhere(const UniqueFd& one, const UniqueFd& other) {
  struct stat one_facts {};
  struct stat other_facts {};
  if (::fstat(one.get(), &one_facts) != 0 || ::fstat(other.get(), &other_facts) != 0) return false;
  if (one_facts.st_dev != other_facts.st_dev) return true;
  const uint64_t mount = MountIdOf(one.get(), "");
  const uint64_t other_mount = MountIdOf(other.get(), "");
  return mount != 0 && other_mount != 0 && mount != other_mount;
}

Status CopyOut(const NameIn& from, const NameIn& to) {
  const Result<NewTree> tree = TreeAt(from.folder, from.name);
  if (!tree) return tree.error();
  return CreateTree(to.folder, to.name, *tree, {&from.folder});
}

Result<bool> MoveOut(const NameIn& from, const NameIn& to) {
  const int done =
      ::renameat(from.folder.get(), from.name.c_str(), to.folder.get(), to.name.c_str());
  if (done == 0 || errno == ENOENT) return false;
  const bool is_copied = errno == ENOTEMPTY || errno == EEXIST;  // a directory
  if (errno != EXDEV && !is_copied) return SystemError("rename(" + from.name + ")");
  const Result<Entry> copy = LookAt(to.folder.get(), to.name, to.name);
  if (!copy) return copy.error();
  if (!copy->exists()) {
    if (Status s = CopyAsAWhole(from, to); !s) return s.error();
  }
  if (Status s = RemoveTreeAt(from.folder.get(), from.name); !s) return s.error();
  return true;
}

}  // namespace ringfence
