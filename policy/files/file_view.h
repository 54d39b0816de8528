// FileView: the few file system operations that decisions need. Read-only by construction, so the
// same decision runs on the real disk, on a tree described in a fixture, and under a recorder.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/not_copied.h"
#include "base/path.h"
#include "base/result.h"
#include "base/syscall.h"

namespace ringfence {

enum class FileKind : uint8_t {
  kMissing,  // also if an ancestor is missing or not a directory
  kFile,
  kDirectory,
  kLink,
  kFifo,
  kSocket,
  kCharacterDevice,
  kBlockDevice,
};

struct FileFacts {
  FileKind kind = FileKind::kMissing;
  uint64_t device = 0;
  uint64_t inode = 0;
  uint64_t links = 1;  // hard links
  uint32_t owner = 0;  // user id
  uint32_t group = 0;  // group id
  uint32_t mode = 0;   // permission bits
};

struct DirectoryEntry {
  std::string name;
  FileKind kind = FileKind::kMissing;  // kMissing if the file system does not report it
};

class FileView : NotCopied {
 public:
  virtual ~FileView() = default;

  // Like lstat(2), does not follow the last component. A missing file is a fact, not an error;
  // EACCES, ENAMETOOLONG, EIO and the like are errors.
  virtual Result<FileFacts> Look(const Path& path) const = 0;
  // The kind of a file; `otherwise` after an error.
  FileKind KindOr(FileKind otherwise, const Path& path) const {
    const Result<FileFacts> facts = Look(path);
    return facts ? facts->kind : otherwise;
  }
  virtual Result<std::string> ReadLink(const Path& path) const = 0;
  // Returns a number for the mount that contains `path`, without following its last component; 0 if
  // unknown.
  virtual uint64_t MountOf(const Path& /*path*/) const { return 0; }
  // Returns the bytes of a regular file. Fails for more than `most` bytes, for anything but a
  // regular file, and in a view that has only names.
  virtual Result<std::string> ReadText(const Path& file, size_t /*most*/) const {
    return SystemError("read(" + file.text() + ")", ENOTSUP);
  }
  // Returns the first `most` bytes of a regular file, which may have more. Fails otherwise as
  // ReadText().
  virtual Result<std::string> ReadStart(const Path& file, size_t /*most*/) const {
    return SystemError("read(" + file.text() + ")", ENOTSUP);
  }
  // Returns the entries of a directory without "." and "..". Fails with E2BIG if there are more
  // than `most`, because a million names take a second to list.
  virtual Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const = 0;
};

}  // namespace ringfence
