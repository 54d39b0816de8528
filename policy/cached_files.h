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

  // The kind of `directory`/`name`, for many names: when several would have to be looked up, the
  // directory is listed once.
  Result<FileKind> ChildKind(const Path& directory, std::string_view name) const;

  // Many names of this directory will be asked for: it is listed at once.
  void ExpectMany(const Path& directory) const;

  // Whether one of the names of `below` (as in "a/b/c"), taken from `base` on, is a link. What is
  // missing is none.
  Result<bool> HasLinkBelow(const Path& base, std::string_view below) const;

  // Makes an error that is a fact about files count as a failure after all.
  void Fail(const Error& error) const;

 private:
  struct Seen {
    uint64_t hash = 0;
    std::string path;
    FileFacts facts;
    size_t error = 0;  // 0: none, else one more than its place in errors_
  };
  struct Folder {
    Path path;
    int questions = 0;
    bool listed = false;
    std::string last_name;  // that was asked for, and what it is: rules come in groups
    std::optional<FileKind> last_kind;
    std::vector<DirectoryEntry> entries;  // sorted by name
  };
  const Seen* Known(const Path& path, uint64_t hash) const;
  Result<FileFacts> FactsOf(const Seen& seen) const;
  Folder& FolderOf(const Path& directory) const;
  static const DirectoryEntry* FindEntry(const Folder& folder, std::string_view name);
  bool IsListedMissing(const Path& path) const;
  Result<FileKind> LookKind(const Path& path) const;
  void Note(const Error& error) const;

  const FileView& files_;
  mutable std::vector<Seen> seen_;
  mutable std::vector<Error> errors_;
  mutable std::vector<Folder> folders_;
  mutable size_t last_folder_ = 0;
  mutable std::optional<Error> failure_;
};

}  // namespace ringfence
