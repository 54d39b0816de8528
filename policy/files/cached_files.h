// CachedFiles asks another FileView each question once. One decision looks at the same folders many
// times, and should see the same answer each time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_bits.h"
#include "policy/files/file_view.h"
#include "policy/files/mount_table.h"

namespace ringfence {

class CachedFiles final : public FileView {
 public:
  explicit CachedFiles(const FileView& files);
  CachedFiles(const CachedFiles&) = delete;
  CachedFiles& operator=(const CachedFiles&) = delete;
  ~CachedFiles() override;

  Result<FileFacts> Look(const Path& path) const override;
  Result<std::string> ReadLink(const Path& path) const override;
  uint64_t MountOf(const Path& path) const override { return files_.MountOf(path); }
  Result<std::string> ReadText(const Path& file, size_t most) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override;

  // The first answer that says more about the machine than about the files (EIO, ENOMEM, EMFILE): a
  // decision that rests on it is none. EACCES, ENAMETOOLONG and ELOOP are facts about files.
  const std::optional<Error>& failure() const { return failure_; }

  // A directory of which many names are asked, with what is known about them. It belongs to this
  // object and stays where it is.
  class Folder;
  Folder& FolderOf(const Path& directory) const;

  // The kind of a name in `folder`, for many names: when several would have to be looked up, the
  // directory is listed once.
  Result<FileKind> ChildKind(Folder& folder, std::string_view name) const;

  // The names in the directory at `below`, which is listed: all names where it cannot be, and where
  // a link is on the way.
  NameFilter NamesIn(Folder& base, std::string_view below) const;

  // The kind alone of what Look() tells.
  Result<FileKind> LookKind(const Path& path) const;

  // Many names of this directory will be asked for: it is listed at once.
  void ExpectMany(const Path& directory) const;

  // Takes the names of `below` (as in "a/b/c") from `base` on, up to the first one that is a link
  // or missing: its kind, or the kind of the last.
  Result<FileKind> KindBelow(Folder& base, std::string_view below) const;

  // Whether it is a link. What is missing is none.
  Result<bool> HasLinkBelow(Folder& base, std::string_view below) const;

  // Of this process, read once.
  const MountTable& Mounts() const;

  // Makes an error that is a fact about files count as a failure after all.
  void Fail(const Error& error) const;

 private:
  struct Seen {
    uint64_t hash = 0;
    std::string path;
    FileFacts facts;
    size_t error = 0;  // 0: none, else one more than its place in errors_
  };
  bool IsListed(Folder& folder) const;
  const Seen* Known(const Path& path, uint64_t hash) const;
  Result<FileFacts> FactsOf(const Seen& seen) const;
  std::vector<std::unique_ptr<Folder>>::iterator PlaceOf(const Path& directory) const;
  Folder* FindFolder(const Path& directory) const;
  bool IsListedMissing(const Path& path) const;
  Result<FileFacts> LookAnew(const Path& path, uint64_t hash) const;
  void Note(const Error& error) const;

  const FileView& files_;
  mutable std::vector<Seen> seen_;
  mutable std::vector<Error> errors_;
  mutable std::vector<std::unique_ptr<Folder>> folders_;  // sorted by path
  mutable std::optional<Error> failure_;
  mutable std::optional<MountTable> mounts_;
};

}  // namespace ringfence
