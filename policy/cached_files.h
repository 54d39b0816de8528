// CachedFiles asks another FileView each question once. One decision looks at the same folders many
// times, and should see the same answer each time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/file_view.h"

namespace ringfence {

class CachedFiles final : public FileView {
 public:
  explicit CachedFiles(const FileView& files) : files_(files) {}

  Result<FileFacts> Look(const Path& path) const override;
  Result<std::string> ReadLink(const Path& path) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory) const override;

  // The first answer that says more about the machine than about the files (EIO, ENOMEM, EMFILE): a
  // decision that rests on it is none. EACCES, ENAMETOOLONG and ELOOP are facts about files.
  const std::optional<Error>& failure() const { return failure_; }

  // The kind of `directory`/`name`, for many names: after a few questions the directory is listed
  // once.
  Result<FileKind> ChildKind(const Path& directory, std::string_view name) const;

  // Makes an error that is a fact about files count as a failure after all.
  void Fail(const Error& error) const;

 private:
  struct Look1 {
    uint64_t hash;
    std::string path;
    Result<FileFacts> facts;
  };
  struct Folder {
    Path path;
    int questions = 0;
    bool listed = false;
    std::vector<DirectoryEntry> entries;  // sorted by name
  };
  Folder& FolderOf(const Path& directory) const;
  static const DirectoryEntry* FindEntry(const Folder& folder, std::string_view name);
  bool IsListedMissing(const Path& path) const;
  Result<FileKind> LookKind(const Path& path) const;
  void Note(const Error& error) const;

  const FileView& files_;
  mutable std::vector<Look1> looks_;
  mutable std::vector<Folder> folders_;
  mutable size_t last_folder_ = 0;
  mutable std::optional<Error> failure_;
};

}  // namespace ringfence
