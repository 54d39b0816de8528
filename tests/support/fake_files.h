// Files in memory for tests: the fixtures' files, a view that records the paths asked for, and one
// in which a call fails.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/syscall.h"
#include "cli/audit/memory_files.h"

namespace ringfence {

using FakeFiles = MemoryFiles;
using FakeNode = MemoryNode;

// Passes all calls on and records them, to prove which paths a decision never touches.
class RecordingFiles final : public FileView {
 public:
  explicit RecordingFiles(const FileView& files) : files_(files) {}

  // Every path passed to Look, ReadLink, ReadText or List, in order.
  const std::vector<std::string>& touched() const { return touched_; }
  bool HasTouchedBelow(std::string_view folder) const;

  Result<FileFacts> Look(const Path& path) const override;
  Result<std::string> ReadLink(const Path& path) const override;
  Result<std::string> ReadText(const Path& file, size_t most) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override;

 private:
  const FileView& files_;
  mutable std::vector<std::string> touched_;
};

// Passes all calls on, except that one call fails for one path.
class FailingFiles final : public FileView {
 public:
  enum class Call { kLook, kReadText, kList };
  FailingFiles(const FileView& files, Call call, std::string_view path, int code)
      : files_(files), call_(call), path_(Path::Clean(path)), code_(code) {}

  Result<FileFacts> Look(const Path& path) const override;
  Result<std::string> ReadLink(const Path& path) const override { return files_.ReadLink(path); }
  uint64_t MountOf(const Path& path) const override { return files_.MountOf(path); }
  Result<std::string> ReadText(const Path& file, size_t most) const override;
  Result<std::string> ReadStart(const Path& file, size_t most) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override;

 private:
  bool Fails(Call call, const Path& path) const { return call == call_ && path == path_; }
  Error Failure() const { return SystemError(path_.text(), code_); }

  const FileView& files_;
  Call call_;
  Path path_;
  int code_;
};

}  // namespace ringfence
