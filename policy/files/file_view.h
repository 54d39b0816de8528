// FileView: the little of a file system that decisions look at. Read-only by construction, so the
// same decision runs on the real disk, on a tree described in a fixture, and under a recorder.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "base/syscall.h"

namespace ringfence {

enum class FileKind : uint8_t {
  kMissing,  // also when a component on the way is missing or no directory
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
  uint32_t mode = 0;   // permission bits
};

struct DirectoryEntry {
  std::string name;
  FileKind kind = FileKind::kMissing;  // kMissing: the file system did not say
};

class FileView {
 public:
  FileView() = default;
  FileView(const FileView&) = delete;
  FileView& operator=(const FileView&) = delete;
  virtual ~FileView() = default;

  // As lstat(2): the last component is not followed. What is missing is a fact, not an error;
  // EACCES, ENAMETOOLONG, EIO and the like are errors.
  virtual Result<FileFacts> Look(const Path& path) const = 0;
  virtual Result<std::string> ReadLink(const Path& path) const = 0;
  // A number of the mount that shows `path`, whose last component is not followed; 0 where that is
  // not known.
  virtual uint64_t MountOf(const Path& path) const {
    static_cast<void>(path);
    return 0;
  }
  // The bytes of a regular file, at most `most` of them; all else is an error. A view of names
  // alone has none.
  virtual Result<std::string> ReadText(const Path& file, size_t most) const {
    static_cast<void>(most);
    return SystemError("read(" + file.text() + ")", ENOTSUP);
  }
  // The entries of a directory without "." and ".."; the error E2BIG when there are more than
  // `most`: a folder of a million names takes a second to list.
  virtual Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const = 0;
};

}  // namespace ringfence
