// The place of one file: its folder, opened once, and its name there. Everything is done through
// that descriptor, so a link that is put on the way later leads nowhere else.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/folder_walk.h"
#include "base/path.h"
#include "base/result.h"

namespace ringfence {

// Mode and owner of a file. An owner or group of -1 is left as the system sets it.
struct FileOwnership {
  mode_t mode = 0644;
  uid_t owner = static_cast<uid_t>(-1);
  gid_t group = static_cast<gid_t>(-1);

  bool operator==(const FileOwnership&) const = default;
};
FileOwnership OwnershipOf(const struct stat& facts);

class FilePlace {
 public:
  // Follows links to where they lead. A dangling one is an error: its target may be on a disk that
  // is not mounted now.
  static Result<FilePlace> Find(const std::string& path);
  // Refuses every link on the way.
  static Result<FilePlace> FindPlain(const Path& path);

  const Path& path() const { return path_; }
  // The descriptor of the folder, or of the nearest one that exists.
  int folder() const { return nearest_.fd.get(); }
  // The folders on the way that do not exist, outermost first.
  std::vector<std::string> MissingFolders() const;
  Status MakeFolders(mode_t mode);

  // What has this name. Links are not followed.
  Result<std::optional<struct stat>> Facts() const;
  // The bytes of a regular file of any size, or nothing where it does not exist.
  Result<std::optional<std::string>> Read() const;

  // Writes the whole file or nothing: a file named `temporary` beside it gets `bytes` and the mode
  // and owner of the file that it replaces, or else `if_new`, and then its name.
  Status Replace(const std::string& temporary, const std::string& bytes,
                 const FileOwnership& if_new) const;
  // Both count as done where the name does not exist. The second also reports no other error: the
  // folder may be in use.
  Status Remove() const;
  void RemoveEmptyFolder() const;

  // Makes sure that changes in the folder survive a power failure.
  Status Sync() const;

 private:
  FilePlace(Path path, NearestFolder nearest)
      : path_(std::move(path)), name_(path_.name()), nearest_(std::move(nearest)) {}
  bool has_folder() const { return nearest_.missing.empty(); }

  Path path_;
  std::string name_;
  NearestFolder nearest_;
};

// A name for FilePlace::Replace() that no other file has; it begins with the prefix.
inline constexpr std::string_view kTemporaryPrefix = ".ringfence-";
std::string TemporaryName();

// Writes a file that the user named, in a folder that exists: whole or not at all, keeping the
// mode and owner of the file that it replaces. A link is followed.
Status WriteWhole(const std::string& path, const std::string& bytes, mode_t mode_if_new = 0644);

}  // namespace ringfence
