// Files in memory for tests: those of fixtures, and a view that keeps what was asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/audit/memory_files.h"

namespace ringfence {

using FakeFiles = MemoryFiles;
using FakeNode = MemoryNode;

// Passes everything on and keeps what was asked for, to prove what a decision never touches.
class RecordingFiles final : public FileView {
 public:
  explicit RecordingFiles(const FileView& files) : files_(files) {}

  // Every path that was looked at, read or listed, in order.
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

}  // namespace ringfence
