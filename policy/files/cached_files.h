// CachedFiles caches the answers of another FileView. One decision looks at the same directories
// many times and should see the same state each time.
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
  ~CachedFiles() override;

  Result<FileFacts> Look(const Path& path) const override;
  Result<std::string> ReadLink(const Path& path) const override;
  uint64_t MountOf(const Path& path) const override { return files_.MountOf(path); }
  Result<std::string> ReadText(const Path& file, size_t most) const override;
  Result<std::string> ReadStart(const Path& file, size_t most) const override;
  Result<std::vector<DirectoryEntry>> List(const Path& directory, size_t most) const override;

  // The first error that concerns the machine rather than a file (EIO, ENOMEM, EMFILE): no decision
  // can rest on it. EACCES, ENAMETOOLONG and ELOOP are facts about files.
  const std::optional<Error>& failure() const { return failure_; }

  // A directory in which many names are looked up, with the results so far. This object owns it and
  // never moves it.
  struct Folder;
  Folder& FolderOf(const Path& directory) const;

  // Returns the kind of a name in `folder`. After several lookups in a directory, lists it once
  // instead.
  Result<FileKind> ChildKind(Folder& folder, std::string_view name) const;

  // Lists the directory at `below` and returns its names; returns all names if it cannot be listed
  // or if a link is on the way.
  NameFilter NamesIn(Folder& base, std::string_view below) const;

  // Returns only the kind from Look().
  Result<FileKind> LookKind(const Path& path) const;

  // Announces many lookups in this directory, so that the first one lists it.
  void ExpectMany(const Path& directory) const;

  // Walks the names of `below` ("a/b/c") from `base`. Returns the kind of the first one that is a
  // link or missing, otherwise the kind of the last.
  Result<FileKind> KindBelow(Folder& base, std::string_view below) const;

  // True if KindBelow() finds a link. A missing file is not a link.
  Result<bool> HasLinkBelow(Folder& base, std::string_view below) const;

  // The mounts of this process, read once.
  const MountTable& Mounts() const;
  // Is not cached.
  Result<MountTable::Around> MountsAround(const Path& directory) const {
    return MountTable::FindAround(directory, files_);
  }

  // Records a failure, even for an error that is a fact about files.
  void Fail(const Error& error) const;

 private:
  struct Seen {
    uint64_t hash = 0;
    std::string path;
    FileFacts facts;
    size_t error = 0;  // 0: none; otherwise its index in errors_ plus 1
  };
  bool IsListed(Folder& folder) const;
  const Seen* Known(const Path& path, uint64_t hash) const;
  Result<FileFacts> FactsOf(const Seen& seen) const;
  std::vector<std::unique_ptr<Folder>>::iterator PlaceOf(const Path& directory) const;
  Folder* FindFolder(const Path& directory) const;
  bool IsListedMissing(const Path& path) const;
  Result<FileFacts> LookUncached(const Path& path, uint64_t hash) const;
  void Note(const Error& error) const;

  const FileView& files_;
  mutable std::vector<Seen> seen_;
  mutable std::vector<Error> errors_;
  mutable std::vector<std::unique_ptr<Folder>> folders_;  // sorted by path
  mutable std::optional<Error> failure_;
  mutable std::optional<MountTable> mounts_;
};

}  // namespace ringfence
