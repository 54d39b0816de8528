#include "policy/real_files.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "base/syscall.h"

namespace ringfence {
namespace {

FileKind KindOf(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return FileKind::kFile;
    case S_IFDIR:
      return FileKind::kDirectory;
    case S_IFLNK:
      return FileKind::kLink;
    case S_IFIFO:
      return FileKind::kFifo;
    case S_IFSOCK:
      return FileKind::kSocket;
    case S_IFCHR:
      return FileKind::kCharacterDevice;
    default:
      return FileKind::kBlockDevice;
  }
}

FileKind KindOfEntry(unsigned char type) {
  switch (type) {
    case DT_REG:
      return FileKind::kFile;
    case DT_DIR:
      return FileKind::kDirectory;
    case DT_LNK:
      return FileKind::kLink;
    default:
      return FileKind::kMissing;
  }
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

Result<FileFacts> RealFiles::Look(const Path& path) const {
  struct stat status {};
  if (::lstat(path.text().c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return FileFacts{};
    return SystemError("lstat(" + path.text() + ")");
  }
  return FileFacts{.kind = KindOf(status.st_mode),
                   .device = status.st_dev,
                   .inode = status.st_ino,
                   .links = status.st_nlink,
                   .owner = status.st_uid,
                   .mode = status.st_mode & 07777};
}

Result<std::string> RealFiles::ReadLink(const Path& path) const {
  std::string target(4096, '\0');  // PATH_MAX: no link is longer
  const ssize_t length = ::readlink(path.text().c_str(), target.data(), target.size());
  if (length < 0) return SystemError("readlink(" + path.text() + ")");
  target.resize(static_cast<size_t>(length));
  return target;
}

Result<std::vector<DirectoryEntry>> RealFiles::List(const Path& directory) const {
  const std::unique_ptr<DIR, CloseDirectory> stream(::opendir(directory.text().c_str()));
  if (stream == nullptr) return SystemError("opendir(" + directory.text() + ")");
  std::vector<DirectoryEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    entries.push_back({std::string(name), KindOfEntry(entry->d_type)});
  }
  if (errno != 0) return SystemError("readdir(" + directory.text() + ")");
  return entries;
}

}  // namespace ringfence
